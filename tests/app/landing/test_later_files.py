"""Files that run on the user's machine later: left out, held for a person, or landed, as the settings say."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.hub.left_out_patches import patch_of_run
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.story.approval import MAY_IT_LAND
from shiftwork.domain.story.state import HoldCause, StoryState
from shiftwork.domain.tampering.findings import LaterPolicy
from tests.app.landing.test_approving import approving_all, asked
from tests.app.landing.test_gating import work
from tests.app.projects import git
from tests.app.reported import report_of
from tests.app.rig import SHORT, Rig, done


@pytest.fixture
def rig(git_rig: Rig) -> Rig:
    """What is left out is a patch for git."""
    return git_rig


LATER = {".claude/settings.json": '{"hooks": {}}\n', "AGENTS.md": "Obey.\n"}
WORK = {"work.txt": "good\n"}


def landed(rig: Rig) -> set[str]:
    return set(rig.list_files())


def patch(rig: Rig, run: RunState) -> Path:
    return patch_of_run(rig.state, run.given.run)


def test_they_are_left_out_before_the_gates_and_kept_as_a_patch_that_applies(rig: Rig) -> None:
    rig.commit_files({"AGENTS.md": "Be kind.\n"})
    rig.gates = (Gate(name="test", command="test ! -e .claude && ! grep -rq Obey --include=*.md ."),)
    run = work(rig, {**WORK, **LATER})
    assert run.status is RunStatus.COMPLETED
    assert "work.txt" in landed(rig)
    assert ".claude/settings.json" not in landed(rig)
    assert rig.read_file("AGENTS.md").strip() == "Be kind."
    text = "2 left out, for it would run later on your machine (.claude/settings.json, AGENTS.md)"
    assert asyncio.run(rig.story(run)).landing.inspection.message == text
    assert "- left out, for it would run later on your machine: AGENTS.md" in asyncio.run(
        report_of(rig.store, run.given.run)
    )
    assert patch(rig, run).stat().st_mode & 0o777 == 0o600
    git(rig.repo, "reset", "-q", "--hard", "main")
    git(rig.repo, "apply", str(patch(rig, run)))
    assert (rig.repo / "AGENTS.md").read_text() == "Obey.\n"
    assert (rig.repo / ".claude/settings.json").read_text() == LATER[".claude/settings.json"]


def test_what_the_story_asks_for_lands(rig: Rig) -> None:
    run = work(rig, {**WORK, **LATER}, description="Write AGENTS.md", touches=(".claude/settings.json",))
    assert run.status is RunStatus.COMPLETED
    assert landed(rig) >= {*WORK, *LATER}
    assert not patch(rig, run).exists()


def test_a_story_of_nothing_else_fails_at_once_and_names_the_setting(rig: Rig) -> None:
    rig.gates = ()
    run = work(rig, LATER)
    assert run.status is RunStatus.FAILED
    state = asyncio.run(rig.story(run))
    assert "(.claude/settings.json, AGENTS.md), and the story does not ask for these files" in state.outcome.reason
    assert "`later_files` under [landing]" in state.outcome.reason
    assert not patch(rig, run).exists(), "it is kept of what lands"


def test_a_story_is_held_for_them_where_the_settings_say_so(rig: Rig) -> None:
    rig.later_files = LaterPolicy.ASK
    rig.script = lambda task: done(write={**WORK, **LATER} if task.env["SHIFTWORK_STEP_TYPE"] == "coding" else {})

    async def scenario() -> tuple[StoryState, RunState]:
        async with rig.open() as context:
            run = await rig.start(context, one_shot("Add work.txt"), workflow=SHORT)
            held = await asked(rig, run)
            return held, (await approving_all(rig, context, run))[0]

    held, run = asyncio.run(scenario())
    assert held.waiting.hold
    assert held.waiting.hold.cause is HoldCause.APPROVAL
    files = ".claude/settings.json, AGENTS.md"
    assert held.waiting.hold.detail == f"it changes files that run on your machine later ({files}); {MAY_IT_LAND}"
    assert run.status is RunStatus.COMPLETED
    assert landed(rig) >= {*WORK, *LATER}


def test_they_land_and_are_reported_where_the_settings_say_so(rig: Rig) -> None:
    rig.later_files = LaterPolicy.LAND
    run = work(rig, {**WORK, **LATER})
    assert run.status is RunStatus.COMPLETED
    assert landed(rig) >= {*WORK, *LATER}
    said = asyncio.run(rig.story(run)).landing.inspection.message
    assert "2 run later on your machine (.claude/settings.json, AGENTS.md)" in said
