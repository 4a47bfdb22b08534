"""Several people ask at the same moment: each request is performed, or its sender is answered that it is not."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from shiftwork.app.commands.runs import forecast
from shiftwork.app.folds import STORY
from shiftwork.config.access.tokens import Role
from shiftwork.domain.core.ids import RunId, StoryId, story_stream
from shiftwork.domain.story.state import HoldCause
from tests.api.api_rig import CLIENT, Stage, served
from tests.json_documents import check

RUN_ID = RunId("r1")
FIRST = story_stream(RUN_ID, StoryId("US-001"))
ROUNDS = range(3)

type Answer = tuple[int, dict[str, Any]]


def at_once(acts: Sequence[Callable[[], Answer]]) -> list[Answer]:
    start = threading.Barrier(len(acts))

    def one(act: Callable[[], Answer]) -> Answer:
        start.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as threads:
        return list(threads.map(one, acts))


def requests(url: str, stage: Stage, method: str, *sent: tuple[str, object]) -> list[Answer]:
    def one(path: str, body: object) -> Answer:
        response = CLIENT.request(method, f"{url}/runs/r1{path}", json=body, headers=stage.bearer(Role.OPERATOR))
        check(response.json())
        return response.status_code, response.json()

    return at_once([partial(one, path, body) for path, body in sent])


@pytest.mark.parametrize(
    "replies",
    [
        [("approve", {"because": "fine"}), ("reject", {"because": "no"})] * 2,
        [("answer", {"text": text}) for text in ("tabs", "blanks", "both", "none")],
    ],
    ids=["decisions", "answers"],
)
def test_of_different_replies_one_is_accepted_and_the_others_are_refused(
    stage: Stage, replies: list[tuple[str, object]]
) -> None:
    stage.start_run()
    stage.ask(cause=HoldCause.APPROVAL if replies[0][0] == "approve" else HoldCause.EXHAUSTED)
    with served(stage) as url:
        answers = requests(url, stage, "POST", *((f"/stories/US-001/{word}", body) for word, body in replies))
    (stored,) = asyncio.run(stage.store.inbox.receive(FIRST, after=0))
    accepted = [reply for reply, (status, _) in zip(replies, answers, strict=True) if status == 202]
    said = {(word, str(body)) for word, body in accepted}
    assert len(said) == 1, "the same reply may be accepted several times"
    text = str(next(iter(said)))
    assert stored.body["body"]["answer"] in text
    assert stored.body["body"]["granted"] is ("reject" not in text)
    refused = [error for status, error in answers if status != 202]
    assert len(refused) >= len(replies) / 2
    assert {error["kind"] for error in refused} == {"intent"}


def test_stories_that_are_added_at_the_same_time_are_all_in_the_run(stage: Stage) -> None:
    stage.start_run()
    stage.ask()
    with served(stage) as url:
        for turn in ROUNDS:
            titles = [f"Greet {turn} {number}" for number in range(4)]
            answers = requests(url, stage, "POST", *(("/stories", {"title": title}) for title in titles))
            assert [status for status, _ in answers] == [202] * 4
            after = asyncio.run(forecast(stage.store.events, stage.store.inbox, RUN_ID))
            named = {story.id: story.title for story in after.given.spec.stories}
            assert [named[accepted["story"]] for _, accepted in answers] == titles


def test_changes_of_one_story_at_the_same_time_are_all_kept(stage: Stage) -> None:
    stage.start_run()
    with served(stage) as url:
        changes = ({"title": "Greet"}, {"criteria": ["it greets"]}, {"depends_on": ["US-001"]})
        answers = requests(url, stage, "PATCH", *(("/stories/US-003", change) for change in changes))
    assert [status for status, _ in answers] == [202] * 3
    after = asyncio.run(forecast(stage.store.events, stage.store.inbox, RUN_ID)).asked(StoryId("US-003"))
    assert (after.title, [each.text for each in after.criteria], after.depends_on) == (
        "Greet",
        ["it greets"],
        ("US-001",),
    )


def test_of_edits_of_one_step_at_the_same_time_each_is_applied_or_refused(stage: Stage) -> None:
    stage.start_run()
    stage.start_story()
    edit = {"operation": "split", "step": "step-001", "descriptions": ["a", "b"]}
    with served(stage) as url:
        answers = requests(url, stage, "POST", *[("/stories/US-001/steps", edit)] * 4)
    assert sorted(status for status, _ in answers) == [202, 409, 409, 409]
    assert len(asyncio.run(stage.store.inbox.receive(FIRST, after=STORY.start.cursor))) == 1


def test_a_pause_that_two_end_at_the_same_time_has_ended_for_both(stage: Stage) -> None:
    stage.start_run()
    with served(stage) as url:
        for _ in ROUNDS:
            assert [status for status, _ in requests(url, stage, "POST", ("/pause", None))] == [202]
            answers = requests(url, stage, "POST", *[("/resume", None)] * 4)
            assert [status for status, _ in answers] == [202] * 4
            assert not asyncio.run(forecast(stage.store.events, stage.store.inbox, RUN_ID)).requests.paused
