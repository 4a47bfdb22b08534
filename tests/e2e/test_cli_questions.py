"""A question in the terminal is shown with the command that answers it, and can be answered while no worker runs."""

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import NO_STORY_WRONG, Project, new_project
from tests.json_documents import seconds_between
from tests.patience import SECONDS, STATUS_EVERY, eventually

pytestmark = pytest.mark.slow

AGENT = """\
cat > {where}/prompt
if [ "$SHIFTWORK_STORY" = US-001 ] && ! grep -q "Answer: Use tabs" {where}/prompt; then
  echo half > half.txt
  echo "STORY_BLOCKED: Tabs or blanks?"
  exit 0
fi
echo done > "$SHIFTWORK_STORY.txt"
echo SUMMARY:
echo "did it"
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = new_project(tmp_path)
    project.settle(agent=AGENT.format(where=project.shared), gates=f'test = "{NO_STORY_WRONG}"')
    stories = [{"id": f"US-00{n}", "title": f"Do {n}", "acceptanceCriteria": ["done"]} for n in (1, 2, 3)]
    (project.root / "prd.json").write_text(json.dumps({"project": "demo", "userStories": stories}), encoding="utf-8")
    return project


def test_a_question_is_answered_as_the_howto_says(project: Project) -> None:
    first = project.shiftwork("run", "prd.json", "--workflow", "ralph", "--parallel", "3")
    assert first.returncode == 2, first
    assert "needs you: US-001 asks: Tabs or blanks?" in first.stdout
    assert first.stdout.splitlines()[-1] == 'next: shiftwork answer US-001 "…"'
    landed = {status["story"]: status["status"] for status in project.status()["stories"]}
    assert landed == {"US-001": "in_progress", "US-002": "completed", "US-003": "completed"}

    message = project.shiftwork("status").stdout
    assert '\nNeeds you\n  US-001  asks: Tabs or blanks?\n          shiftwork answer US-001 "…"\n' in message
    assert '    asks: Tabs or blanks?\n    shiftwork answer US-001 "…"\n' in project.shiftwork("stories").stdout
    nothing = project.shiftwork("approve", "US-002")
    assert nothing.returncode == 64
    assert "US-002 is not waiting for an answer" in nothing.stderr
    bare = project.shiftwork("answer")
    assert bare.stdout.splitlines() == ["US-001 asks: Tabs or blanks?", 'next: shiftwork answer US-001 "…"']
    assert project.shiftwork("diff", "--stat").stdout == project.shiftwork("diff", "US-001", "--stat").stdout
    assert project.shiftwork("approve", "--all", "US-001").returncode == 64
    silent = project.shiftwork("answer", "US-001")
    assert (silent.returncode, silent.stderr) == (2, "")
    assert silent.stdout.splitlines() == ["US-001 asks: Tabs or blanks?", 'next: shiftwork answer US-001 "…"']
    program = project.shiftwork("answer", "US-001", "--json")
    assert (program.returncode, json.loads(program.stderr or program.stdout)["message"]) == (
        64,
        "the answer is empty; US-001 asks: Tabs or blanks?",
    )
    assert "US-002 is not waiting for one" in project.shiftwork("answer", "US-002").stderr

    typed = project.types(blocks(ROOT / "docs" / "howto" / "answer-questions.md", "answer"))
    assert typed.returncode == 0, typed
    assert project.git("show", "main:half.txt") == "half", "what was done before the question is kept"
    over = project.status()
    assert over["status"] == "completed"
    assert 0 < over["waited_for_you_seconds"] < seconds_between(over["started_at"], over["ended_at"])
    took = project.shiftwork("status").stdout.splitlines()[1].partition(";")[0]
    assert took.endswith(" s when all work waited for you)"), took


def test_a_no_is_received_though_who_worked_did_so_on_another_boot_of_the_machine(project: Project) -> None:
    """Nothing can be known of the process there, but it has let go of the run when it left."""
    project.settle(agent=project.agent.read_text().replace("Use tabs", "No. neither"), gates='test = "true"')
    assert project.shiftwork("run", "prd.json", "--workflow", "ralph", "--parallel", "3").returncode == 2
    with contextlib.closing(sqlite3.connect(project.state / "state.db")) as store:
        store.execute("UPDATE leases SET host = 'another-host:of-another-boot'")
        store.commit()
    assert project.status()["worker"] is None
    done = project.shiftwork("reject", "--because", "neither", "--json")
    assert done.returncode == 0, done
    assert json.loads(done.stdout.splitlines()[-1])["kind"] == "result"
    assert project.status()["status"] == "completed"


GAP = """\
id: gap
steps:
  - id: work
    type: loop
    loop: {over: stories, completion: all_done}
    body:
      - {id: coding, type: coding}
      - {id: consent, kind: approval, ask: "Land {{task}} or not?"}
"""


def test_an_approval_asks_its_question_in_the_run_that_is_named(project: Project) -> None:
    (project.root / "gap.yml").write_text(GAP, encoding="utf-8")
    project.settle(gates='test = "true"')
    for request, named in (("Old work", False), ("New work", True)):
        ran = project.shiftwork("run", request, "--workflow", "gap.yml")
        assert ran.returncode == 2, ran
        assert f"needs you: US-001 needs your approval: Land {request} or not?" in ran.stdout
        which = f" --run {project.status()['run']}" if named else ""  # where two runs are unfinished, one is named
        assert ran.stdout.splitlines()[-3:-1] == [
            f"next: shiftwork diff US-001{which}    (look at it first)",
            f"      shiftwork approve US-001{which}",
        ]
    listed = project.shiftwork("status", "--all", "--json").stdout
    new, old = (row["run"] for row in json.loads(listed)["runs"])
    lines = project.shiftwork("status", old).stdout.splitlines()
    assert lines[-1].startswith(f"next: shiftwork diff US-001 --run {old}")
    assert f"          shiftwork approve US-001 --run {old}" in lines
    unclear = project.shiftwork("approve", "US-001")
    assert unclear.returncode == 64
    assert f"US-001 needs your answer in 2 runs: {new}, {old}" in unclear.stderr
    unclear = project.shiftwork("approve", "--all")
    assert (unclear.returncode, "2 runs are unfinished, and none is named" in unclear.stderr) == (64, True)
    assert f"shiftwork approve --all --run {old}" in unclear.stderr
    assert project.shiftwork("approve", "US-001", "--run", old).returncode == 0
    assert [project.status(run)["status"] for run in (old, new)] == ["completed", "running"]
    last = project.shiftwork("approve", "--all")
    assert "approved US-001 (commit " in last.stdout, "one is left, the newest"


REVIEWED = """\
cat > /dev/null
if [ -e strict ]; then echo two > US-001.txt; else echo one > "$SHIFTWORK_STORY.txt"; fi
echo SUMMARY:
echo "did it"
"""
STRICT = "test ! -e strict || test ! -e US-001.txt || grep -q two US-001.txt"


def test_every_story_is_reviewed_before_it_lands_and_again_when_its_patch_has_changed(project: Project) -> None:
    project.settle(agent=REVIEWED, gates=f'test = "{STRICT}"')
    held = project.shiftwork("run", "prd.json", "--workflow", "ralph", "--parallel", "3", "--review")
    assert held.returncode == 2, held
    assert "next: shiftwork diff US-001    (look at it first)" in held.stdout
    assert project.git("log", "--format=%s", "main").splitlines() == ["start"], "nothing has landed"
    shown = json.loads(project.shiftwork("diff", "US-001", "--json").stdout)
    assert ([file["path"] for file in shown["file_changes"]], shown["landed"]) == (["US-001.txt"], False)

    (project.root / "strict").write_text("")
    project.git("add", "strict")
    project.git("commit", "--quiet", "-m", "stricter")
    again = project.shiftwork("approve", "US-001", "--json")
    assert again.returncode == 2, again
    assert project.git("log", "-1", "--format=%s", "main") == "stricter", "the repair has not been approved"
    message = project.shiftwork("status").stdout
    assert "needs your approval again: the patch has changed since it was approved, in US-001.txt" in message
    assert "next: shiftwork diff US-001 --since-approved    (what has changed since you approved it)" in message
    changed = project.shiftwork("diff", "US-001", "--since-approved").stdout
    assert ("\n-one\n" in changed, "\n+two" in changed, "strict" in changed) == (True, True, False)
    unknown = project.shiftwork("diff", "US-002", "--since-approved")
    assert (unknown.returncode, "no patch of US-002 is approved" in unknown.stderr) == (64, True)

    assert project.shiftwork("approve", "US-002", "--all").returncode == 64
    typed = project.types(blocks(ROOT / "docs" / "howto" / "answer-questions.md", "review"))
    assert typed.returncode == 2, typed
    assert "US-001 is skipped: its patch has changed since you approved it" in typed.stdout
    assert "(shiftwork diff US-001 --since-approved)" in typed.stdout
    left = project.shiftwork("approve", "--all")
    assert (left.returncode, "US-001 is skipped" in left.stderr) == (64, True)
    commit = json.loads(project.shiftwork("diff", "US-001", "--json").stdout)["commit"]
    last = project.shiftwork("approve", "US-001")
    assert f"approved US-001 (commit {commit[:10]} on " in last.stdout, last
    for story in ("US-002", "US-003"):  # they may have been repaired on what landed, too
        if holds(project)[story]:
            project.shiftwork("approve", story)
    assert project.status()["status"] == "completed"
    assert project.git("show", "main:US-001.txt") == "two"
    nothing = project.shiftwork("approve", "--all")
    assert (nothing.returncode, "needs approval" in nothing.stderr) == (64, True)


def holds(project: Project) -> dict[str, str]:
    values = json.loads(project.shiftwork("status", "--json").stdout or "{}")
    return {item["story"]: item["hold"] for item in values.get("stories", ())}


def test_all_that_wait_for_approval_are_approved_while_the_run_continues(project: Project) -> None:
    waiting = project.shared / "go-on"
    busy = f'[ "$SHIFTWORK_STORY" != US-002 ] || while [ ! -e {waiting} ]; do sleep 0.1; done\n'
    project.settle(agent=busy + REVIEWED, gates=f'test = "{STRICT}"\n\n[landing]\nreview = true')
    with project.started("run", "prd.json", "--workflow", "ralph", "--parallel", "3", "--parallel", "3") as running:
        asked = {"US-001": "approval", "US-002": "", "US-003": "approval"}
        eventually(lambda: holds(project) == asked, every=STATUS_EVERY)
        approved = project.shiftwork("approve", "--all", "--json")
        assert approved.returncode == 0, approved
        values = json.loads(approved.stdout)
        assert values["said"] == "approve"
        assert [value["story"] for value in values["replies"]] == ["US-001", "US-003"]
        waiting.touch()
        assert running.wait(SECONDS) == 2, "the other one waits now"
    assert holds(project) == {"US-001": "", "US-002": "approval", "US-003": ""}
    landed = {status["story"]: status["status"] for status in project.status()["stories"]}
    assert landed == {"US-001": "completed", "US-002": "in_progress", "US-003": "completed"}
