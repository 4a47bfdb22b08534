"""The tables of status changes list every allowed change and nothing else."""

from dataclasses import replace
from enum import StrEnum
from typing import Any

import pytest

from shiftwork.domain.core import machine
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.landing import transitions as landing_transitions
from shiftwork.domain.landing.state import Entry, EntryStage
from shiftwork.domain.run import transitions as run_transitions
from shiftwork.domain.run.state import RUN_ENDED, RunState, RunStatus, StoryOutcome
from shiftwork.domain.story import transitions as story_transitions
from shiftwork.domain.story.state import ENDED, StoryState, StoryStatus
from shiftwork.domain.workflow import transitions as workflow_transitions
from shiftwork.domain.workflow.pipeline import FINISHED, StepStatus, pipeline_of
from shiftwork.testing.builders import landing_request, planned

TABLES: dict[str, tuple[machine.Table[Any], type[StrEnum]]] = {
    "step": (workflow_transitions.STEP, StepStatus),
    "story": (story_transitions.STORY, StoryStatus),
    "run": (run_transitions.RUN, RunStatus),
    "entry": (landing_transitions.ENTRY, EntryStage),
}
each_table = pytest.mark.parametrize("name", TABLES)


def reachable(table: machine.Table[Any], start: StrEnum) -> set[StrEnum]:
    found, before = {start}, set[StrEnum]()
    while found != before:
        before = set(found)
        found |= {after for (status, _), after in table.items() if status in before}
    return found


@each_table
def test_every_status_is_reached_from_the_first_one(name: str) -> None:
    table, statuses = TABLES[name]
    first = next(iter(statuses))
    assert reachable(table, first) == set(statuses)


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("step", set()),
        ("story", set()),
        ("run", set()),
        ("entry", {EntryStage.CLOSED}),
    ],
)
def test_nothing_leads_out_of_an_end(name: str, ends: set[StrEnum]) -> None:
    table, statuses = TABLES[name]
    left = {status for status, _ in table}
    assert set(statuses) - left == ends


@pytest.mark.parametrize(
    ("table", "ended", "ways"),
    [
        (
            story_transitions.STORY,
            ENDED,
            {Trigger.RETRY, Trigger.REOPEN, Trigger.UNDO, Trigger.CANCEL, Trigger.MISS, Trigger.FIND},
        ),
        (run_transitions.RUN, RUN_ENDED, {Trigger.REOPEN}),
    ],
    ids=["story", "run"],
)
def test_what_has_ended_continues_only_because_somebody_asks_or_moves_the_branch(
    table: machine.Table[Any], ended: set[StrEnum], ways: set[Trigger]
) -> None:
    assert {trigger for status, trigger in table if status in ended} == ways


def test_a_completed_step_runs_again_only_by_being_rewound_and_a_skipped_one_by_being_revived() -> None:
    assert {(status, trigger) for status, trigger in workflow_transitions.STEP if status in FINISHED} == {
        (StepStatus.COMPLETED, Trigger.REWIND),
        (StepStatus.SKIPPED, Trigger.REVIVE),
    }


@pytest.mark.parametrize("trigger", list(Trigger))
@pytest.mark.parametrize("status", list(StepStatus))
def test_a_step_turns_as_its_table_says(status: StepStatus, trigger: Trigger) -> None:
    (planned_one,) = pipeline_of((planned("coding"),)).steps
    step = replace(planned_one, status=status)
    turned = workflow_transitions.turn_step(replace(step, notes="said"), trigger)
    wanted = workflow_transitions.STEP.get((status, trigger))
    assert (turned and (turned.status, turned.notes)) == (wanted and (wanted, "said"))


@pytest.mark.parametrize("trigger", list(Trigger))
def test_all_else_turns_as_its_table_says(trigger: Trigger) -> None:
    for status in StoryStatus:
        story = story_transitions.turn_story(StoryState(status=status), trigger)
        outcome = run_transitions.turn_outcome(StoryOutcome(status=status), trigger)
        wanted = story_transitions.STORY.get((status, trigger))
        assert (story and story.status) == (outcome and outcome.status) == wanted
    for run_status in RunStatus:
        run = run_transitions.turn_run(RunState(status=run_status), trigger)
        assert (run and run.status) == run_transitions.RUN.get((run_status, trigger))
    for stage in EntryStage:
        entry = landing_transitions.turn_entry(Entry(request=landing_request(), stage=stage), trigger)
        assert (entry and entry.stage) == landing_transitions.ENTRY.get((stage, trigger))
