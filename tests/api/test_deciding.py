"""What people ask through the API arrives in the inbox of the run or of the story, by the rules of the commands."""

import asyncio
import contextlib
import gc
import json
import sqlite3
import subprocess
import time
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from shiftwork.app.commands.review.line_comments import patch_lines
from shiftwork.app.hosting.handover import hand_over
from shiftwork.config.access.tokens import Role
from shiftwork.domain.core.ids import Commit, RunId, StoryId, Stream, run_stream, server_stream, story_stream
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import HoldCause
from shiftwork.entrypoints.api.access.request_guard import PREFIX
from shiftwork.entrypoints.api.application import create_app
from shiftwork.entrypoints.api.http_server import access
from shiftwork.entrypoints.api.routes.work import LARGEST_PATCH
from tests.api.api_rig import ORIGIN, PORT, Stage
from tests.json_documents import check

RUN = run_stream(RunId("r1"))
FIRST = story_stream(RunId("r1"), StoryId("US-001"))


def sent(stage: Stage, target: Stream) -> list[dict[str, Any]]:
    return [message.body for message in asyncio.run(stage.store.inbox.receive(target, after=0))]


def handed_over(stage: Stage) -> list[str]:
    return [body["run"] for body in sent(stage, server_stream(stage.site.project))]


def post(stage: Stage, client: TestClient, path: str, body: object = None) -> tuple[int, dict[str, Any]]:
    response = client.post(f"{PREFIX}/runs/r1{path}", json=body, headers=stage.bearer(Role.OPERATOR))
    check(response.json())
    return response.status_code, response.json()


@pytest.fixture
def asked(stage: Stage) -> Stage:
    stage.start_run()
    stage.ask()
    return stage


@pytest.mark.parametrize(
    ("word", "body", "granted"),
    [
        ("answer", {"text": "yes, go on"}, True),
        ("approve", {"because": "fine"}, True),
        ("approve", None, True),
        ("reject", {"because": "no"}, False),
    ],
)
def test_a_reply_reaches_the_story_once(asked: Stage, word: str, body: object, *, granted: bool) -> None:
    with asked.client() as client:
        status, accepted = post(asked, client, f"/stories/US-001/{word}", body)
        assert (status, accepted["story"], accepted["asked"]) == (202, "US-001", word)
        (message,) = sent(asked, FIRST)
        assert granted is next(value for value in _values(message) if isinstance(value, bool))
        assert post(asked, client, f"/stories/US-001/{word}", body)[0] == 409, "it is answered"
        assert handed_over(asked) == ["r1"], "no process works on the run"


def test_a_run_continues_in_the_checkout_that_it_was_handed_over_from(asked: Stage) -> None:
    project = asked.site.project
    asyncio.run(hand_over(asked.store.inbox, project, RunId("r1"), "/another/checkout", "first"))
    with asked.client() as client:
        assert post(asked, client, "/stories/US-001/answer", {"text": "yes"})[0] == 202
    folders = [body["folder"] for body in sent(asked, server_stream(project))]
    assert folders == ["/another/checkout"] * 2, "another checkout has other gates"


def test_a_run_of_another_worktree_continues_there(stage: Stage) -> None:
    there = stage.site.root.parent / "there"
    git(stage, "worktree", "add", "-q", "-b", "side", str(there))
    stage.start_run(worktree="there")
    stage.ask()
    with stage.client() as client:
        assert post(stage, client, "/stories/US-001/answer", {"text": "yes"})[0] == 202
    (body,) = sent(stage, server_stream(stage.site.project))
    assert body["folder"] == str(there), "its checkout has its gates"


def test_a_run_of_a_worktree_that_git_has_forgotten_continues_in_the_checkout_of_the_server(stage: Stage) -> None:
    stage.start_run(worktree="forgotten")
    stage.ask()
    with stage.client() as client:
        assert post(stage, client, "/stories/US-001/answer", {"text": "yes"})[0] == 202
    (body,) = sent(stage, server_stream(stage.site.project))
    assert body["folder"] == str(stage.site.root)


def _values(body: Any) -> list[Any]:
    return [found for value in body.values() for found in (_values(value) if isinstance(value, dict) else [value])]


def test_an_approval_needs_a_yes_or_a_no_and_counts_for_the_commit_that_was_seen(stage: Stage) -> None:
    stage.start_run()
    stage.ask(cause=HoldCause.APPROVAL)
    with stage.client() as client:
        assert post(stage, client, "/stories/US-001/answer", {"text": "perhaps"})[0] == 409
        status, error = post(stage, client, "/stories/US-001/approve", {"commit": "0123abc"})
        assert (status, error["kind"]) == (409, "intent")
        assert sent(stage, FIRST) == []


@pytest.mark.parametrize(("commit", "status"), [("0", 422), ("0123ab", 422), ("0123abc", 409), ("", 202)])
def test_an_approval_names_enough_of_the_commit_that_was_seen(stage: Stage, commit: str, status: int) -> None:
    """The first character fits to a sixteenth of all commits."""
    stage.start_run()
    stage.ask(cause=HoldCause.APPROVAL)
    with stage.client() as client:
        assert post(stage, client, "/stories/US-001/approve", {"commit": commit})[0] == status


@pytest.mark.parametrize("word", ["answer", "approve", "reject"])
def test_a_reply_counts_only_for_the_question_that_was_shown(asked: Stage, word: str) -> None:
    """A page may show an earlier question, or the first answer of two tabs has led to another one."""
    text = {"text": "yes"} if word == "answer" else {}
    with asked.client() as client:
        shown = client.get(f"{PREFIX}/runs/r1/stories/US-001", headers=asked.bearer(Role.VIEWER)).json()["waiting"]
        status, error = post(asked, client, f"/stories/US-001/{word}", {**text, "waiting": "question: Keep it?"})
        assert (status, error["message"]) == (409, "US-001 asks something else now")
        assert sent(asked, FIRST) == []
        assert post(asked, client, f"/stories/US-001/{word}", {**text, "waiting": shown})[0] == 202


def test_a_limit_is_not_lifted_by_an_approval(stage: Stage) -> None:
    stage.start_run()
    stage.ask(cause=HoldCause.LIMIT)
    with stage.client() as client:
        assert post(stage, client, "/stories/US-001/approve")[0] == 409


@pytest.mark.parametrize("path", ["/pause", "/cancel", "/stories/US-001/cancel"])
def test_a_run_and_its_stories_are_paused_and_cancelled(asked: Stage, path: str) -> None:
    with asked.client() as client:
        status, accepted = post(asked, client, path)
        assert (status, accepted["asked"]) == (202, path.rpartition("/")[2])
        assert len(sent(asked, RUN)) == 1
        assert handed_over(asked) == ([] if path == "/pause" else ["r1"])


def test_a_pause_is_ended(asked: Stage) -> None:
    with asked.client() as client:
        status, accepted = post(asked, client, "/resume")
        assert (status, accepted["asked"]) == (202, "resume")
        assert sent(asked, RUN) == [], "it was not paused"
        post(asked, client, "/pause")
        assert post(asked, client, "/resume")[0] == 202
        assert len(sent(asked, RUN)) == 2


@pytest.mark.parametrize("path", ["/stories/US-001/retry", "/stories/US-001/undo"])
def test_a_request_that_the_state_does_not_allow_is_refused_and_not_sent(asked: Stage, path: str) -> None:
    with asked.client() as client:
        status, error = post(asked, client, path)
        assert (status, error["kind"]) == (409, "intent")
        assert error["hint"]
        assert sent(asked, RUN) == []


def test_a_failed_story_is_dismissed_by_cancelling_it(stage: Stage) -> None:
    stage.start_run()
    stage.fail()
    with stage.client() as client:
        status, accepted = post(stage, client, "/stories/US-001/cancel")
        assert (status, accepted["asked"]) == (202, "cancel")
        (dismissal,) = sent(stage, RUN)
        assert dismissal["kind"] == "StoryDismissalRequested"
        assert handed_over(stage) == ["r1"]


def test_a_retry_carries_a_message_for_the_next_attempts(stage: Stage) -> None:
    stage.start_run()
    stage.fail()
    with stage.client() as client:
        path = "/stories/US-001/retry"
        assert post(stage, client, path, {"from_scratch": True, "because": "The table is called orders"})[0] == 202
    (body,) = sent(stage, RUN)
    assert (body["body"]["because"], body["body"]["from_scratch"]) == ("The table is called orders", True)


@pytest.mark.parametrize(
    ("edit", "status"),
    [
        ({"operation": "add", "type": "coding", "description": "more"}, 202),
        ({"operation": "split", "step": "step-001", "descriptions": ["a", "b"]}, 202),
        ({"operation": "edit", "step": "coding", "description": "other"}, 202),
        ({"operation": "skip", "step": "final_review", "reason": "not needed"}, 409),
        ({"operation": "reorder", "steps": ["step-009"]}, 409),
        ({"operation": "restart", "step": "step-001", "reason": "stuck"}, 409),
        ({"operation": "explode"}, 422),
        ({"operation": "skip", "step": "coding"}, 422),
    ],
)
def test_steps_are_edited_by_the_rules_for_agents(asked: Stage, edit: dict[str, object], status: int) -> None:
    with asked.client() as client:
        assert post(asked, client, "/stories/US-001/steps", edit)[0] == status
        assert len(sent(asked, FIRST)) == (status == 202)


@pytest.mark.parametrize("body", [{}, {"text": ""}, {"text": " \n"}, {"text": "a", "more": 1}, [], "x", None])
def test_a_body_that_is_not_valid_is_refused(asked: Stage, body: object) -> None:
    with asked.client() as client:
        status, error = post(asked, client, "/stories/US-001/answer", body)
        assert (status, error["kind"]) == (422, "request")


def test_a_run_of_another_project_cannot_be_reached(asked: Stage) -> None:
    with contextlib.closing(sqlite3.connect(asked.site.own_store)) as connection, connection:
        connection.execute("UPDATE runs SET project = 'other'")
    with asked.client() as client:
        assert post(asked, client, "/pause")[0] == 404


# Stories ---------------------------------------------------------------------------------------------------------


def test_stories_are_added_changed_and_ordered(asked: Stage) -> None:
    headers = asked.bearer(Role.OPERATOR)
    with asked.client() as client:
        added = post(asked, client, "/stories", {"title": "Greet", "depends_on": ["US-001"]})
        assert (added[0], added[1]["asked"], added[1]["story"]) == (202, "add", "US-004")
        assert handed_over(asked) == ["r1"]
        path = f"{PREFIX}/runs/r1/stories/US-003"
        edited = client.patch(path, json={"title": "Greet all"}, headers=headers)
        assert (edited.status_code, edited.json()["asked"]) == (202, "edit")
        ordered = post(asked, client, "/order", {"stories": ["US-003", "US-002"]})
        assert (ordered[0], ordered[1]["asked"]) == (202, "reorder")
        assert len(sent(asked, RUN)) == 3
        assert client.patch(path, json={}, headers=headers).status_code == 422
        assert client.patch(path.replace("003", "009"), json={"title": "x"}, headers=headers).status_code == 409
        assert post(asked, client, "/order", {"stories": ["US-009"]})[0] == 409


def test_a_comment_needs_a_line_of_the_patch(asked: Stage) -> None:
    line = {"path": "a.py", "line": 1, "side": "new", "text": "why?"}
    with asked.client() as client:
        status, refused = post(asked, client, "/stories/US-001/comments", {"comments": [line]})
        assert (status, refused["message"]) == (422, "the patch has no a.py, line 1")
        assert post(asked, client, "/stories/US-009/comments", {"comments": [line]})[0] == 404
        assert post(asked, client, "/stories/US-001/comments", {"comments": []})[0] == 422


def test_a_comment_on_a_patch_that_needs_approval_rejects_it(stage: Stage) -> None:
    git(stage, "commit", "--allow-empty", "-q", "-m", "base")
    base = git(stage, "rev-parse", "HEAD")
    (stage.site.root / "a.py").write_text("print(1)\n")
    git(stage, "add", "a.py")
    git(stage, "commit", "-q", "-m", "work")
    work = git(stage, "rev-parse", "HEAD")
    stage.start_run()
    stream = stage.start_story()
    stage.write(stream, story_facts.WorkspacePrepared(at=3, number=1, base=Commit(base), head=Commit(work)))
    stage.write(stream, story_facts.StoryHeld(at=4, cause=HoldCause.APPROVAL, detail="may it land?"))
    line = {"path": "a.py", "line": 1, "side": "new", "text": "why?"}
    with stage.client() as client:
        status, answer = post(stage, client, "/stories/US-001/comments", {"comments": [line]})
    assert (status, answer["asked"]) == (202, "reject"), answer
    (said,) = sent(stage, stream)
    assert "a.py, line 1:\n> +print(1)\nwhy?" in json.dumps(said).replace("\\n", "\n")


@pytest.mark.parametrize("size", [1000, LARGEST_PATCH + 1000])
def test_a_large_diff_is_cut_at_a_line_and_says_so(stage: Stage, size: int) -> None:
    git(stage, "commit", "--allow-empty", "-q", "-m", "base")
    base = git(stage, "rev-parse", "HEAD")
    (stage.site.root / "a.txt").write_text("0123456\n" * (size // 8))
    git(stage, "add", "a.txt")
    git(stage, "commit", "-q", "-m", "work")
    work = git(stage, "rev-parse", "HEAD")
    stage.start_run()
    prepared = story_facts.WorkspacePrepared(at=3, number=1, base=Commit(base), head=Commit(work))
    stage.write(stage.start_story(), prepared)
    with stage.client() as client:
        path = f"{PREFIX}/runs/r1/stories/US-001/diff"
        response = client.get(path, headers=stage.bearer(Role.VIEWER))
    assert response.headers["x-commit"] == work
    assert response.headers.get("x-cut") == ("true" if size > LARGEST_PATCH else None)
    assert len(response.content) <= LARGEST_PATCH
    assert response.text.endswith("+0123456\n")


def test_other_requests_are_answered_while_comments_are_matched_with_a_long_patch(stage: Stage) -> None:
    git(stage, "commit", "--allow-empty", "-q", "-m", "base")
    base, lines = git(stage, "rev-parse", "HEAD"), 100_000
    (stage.site.root / "a.txt").write_text("x\n" * lines)
    git(stage, "add", "a.txt")
    git(stage, "commit", "-q", "-m", "work")
    work = git(stage, "rev-parse", "HEAD")
    stage.start_run()
    stream = stage.start_story()
    stage.write(stream, story_facts.WorkspacePrepared(at=3, number=1, base=Commit(base), head=Commit(work)))
    last = {"path": "a.txt", "line": lines, "side": "new", "text": "why?"}
    blocked: list[float] = []

    async def beat() -> None:
        """Notes how long the loop was busy with something else. Processor time: other processes do not count."""
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.001)
            blocked.append(time.thread_time() - before)

    async def comment() -> int:
        app, _ = create_app(stage.site, stage.env, access(stage.site, PORT))
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=ORIGIN) as client:
            beating = asyncio.create_task(beat())
            path, headers = f"{PREFIX}/runs/r1/stories/US-001/comments", stage.bearer(Role.OPERATOR)
            answer = await client.post(path, json={"comments": [last]}, headers=headers)
            beating.cancel()
        return answer.status_code

    gc.collect()
    gc.disable()  # a test process has millions of objects, and to look at all of them blocks the loop as well
    try:
        assert asyncio.run(comment()) == 202
    finally:
        gc.enable()
    matched = time.thread_time()
    list(patch_lines(f"--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,{lines} @@\n" + "+x\n" * lines))
    assert max(blocked) < (time.thread_time() - matched) / 2


def git(stage: Stage, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=stage.site.root, env=stage.env, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
