"""A story that is named without a run: a run that does not have it is never used, and the run that has it is named."""

import contextlib
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from shiftwork.domain.core.ids import RunId, StoryId, run_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.entrypoints.cli.commands import cancel, diff, logs, notes, proof, steps_show
from shiftwork.errors import UsageError
from shiftwork.records import replace
from shiftwork.testing.builders import asked, planned, run_plan, workflow
from tests.api.api_rig import Stage, staged

COMMANDS = {
    "diff": (diff.command, ["OLD-1"], "shiftwork diff OLD-1 --run r1"),
    "steps": (steps_show.command, ["OLD-1"], "shiftwork steps OLD-1 --run r1"),
    "logs": (logs.command, ["--story", "OLD-1"], "shiftwork logs r1 --story OLD-1"),
    "logs --gates": (logs.command, ["--gates", "--story", "OLD-1"], "shiftwork logs r1 --story OLD-1"),
    "notes": (notes.command, ["--story", "OLD-1"], "shiftwork notes r1 --story OLD-1"),
    "proof": (proof.command, ["OLD-1"], "shiftwork proof OLD-1 --run r1"),
    "cancel": (cancel.command, ["--story", "OLD-1"], "shiftwork cancel r1 --story OLD-1"),
}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The newest run has US-001, and an older one, which has ended, has OLD-1."""
    with staged(tmp_path_factory.mktemp("project")) as opened:
        for at, run, story in ((1, "r1", "OLD-1"), (2, "r2", "US-001")):
            given = replace(asked(1), id=StoryId(story))
            plan = replace(run_plan(given, steps=workflow(planned("coding"))), run=RunId(run))
            started = run_facts.RunStarted(at=at, plan=replace(plan, project=opened.site.project))
            opened.write(run_stream(plan.run), started)
        opened.write(run_stream(RunId("r1")), run_facts.RunEnded(at=3, status=RunStatus.FAILED))
        yield opened


@pytest.mark.parametrize("name", COMMANDS)
def test_the_run_that_has_the_story_is_named(stage: Stage, name: str) -> None:
    command, words, hint = COMMANDS[name]
    with contextlib.chdir(stage.site.root):
        failed = CliRunner(env=stage.env).invoke(command, words).exception
    assert isinstance(failed, UsageError), failed
    assert failed.message.startswith("OLD-1 is a story of run r1, not in "), failed
    assert "r2" in failed.message
    assert failed.hint == hint


TAKEN_FOR_A_STORY = {
    "proof": (proof.command, ["r1"], "shiftwork proof --run r1"),
    "diff": (diff.command, ["r1"], "shiftwork stories r1"),
    "steps": (steps_show.command, ["r1"], "shiftwork stories r1"),
}


@pytest.mark.parametrize("name", TAKEN_FOR_A_STORY)
def test_a_run_that_is_taken_for_a_story_is_reported_as_one(stage: Stage, name: str) -> None:
    command, words, hint = TAKEN_FOR_A_STORY[name]
    with contextlib.chdir(stage.site.root):
        failed = CliRunner(env=stage.env).invoke(command, words).exception
    assert isinstance(failed, UsageError), failed
    assert (failed.message, failed.hint) == ("r1 is a run, not a story", hint)


def test_logs_understands_a_story_in_place_of_a_run(stage: Stage) -> None:
    with contextlib.chdir(stage.site.root):
        failed = CliRunner(env=stage.env).invoke(logs.command, ["OLD-1"]).exception
    assert isinstance(failed, UsageError), failed
    assert failed.hint == "shiftwork logs r1 --story OLD-1"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["US-001"], "US-001 has landed nothing yet"),
        (["--verify"], "no story has landed yet in run r2"),
        (["US-009"], "run r2 has no story US-009"),
    ],
)
def test_a_proof_of_what_has_not_landed_or_is_not_there_is_refused(
    stage: Stage, words: list[str], message: str
) -> None:
    with contextlib.chdir(stage.site.root):
        failed = CliRunner(env=stage.env).invoke(proof.command, words).exception
    assert isinstance(failed, UsageError), failed
    assert failed.message.startswith(message)
