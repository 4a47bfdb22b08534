"""How the status of a run and of its stories changes."""

from collections.abc import Callable
from typing import Final

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.core.machine import Table, Trigger
from shiftwork.domain.run.state import RunState, RunStatus, StoryOutcome
from shiftwork.domain.story.transitions import STORY
from shiftwork.records import replace

RUN: Final[Table[RunStatus]] = {
    (RunStatus.PLANNED, Trigger.START): RunStatus.RUNNING,
    (RunStatus.RUNNING, Trigger.COMPLETE): RunStatus.COMPLETED,
    (RunStatus.RUNNING, Trigger.FAIL): RunStatus.FAILED,
    (RunStatus.RUNNING, Trigger.CANCEL): RunStatus.CANCELLED,
    (RunStatus.RUNNING, Trigger.UNDO): RunStatus.UNDONE,
    (RunStatus.COMPLETED, Trigger.REOPEN): RunStatus.RUNNING,
    (RunStatus.FAILED, Trigger.REOPEN): RunStatus.RUNNING,
    (RunStatus.CANCELLED, Trigger.REOPEN): RunStatus.RUNNING,
    (RunStatus.UNDONE, Trigger.REOPEN): RunStatus.RUNNING,
}


type Change = Callable[[StoryOutcome], StoryOutcome]


def _unchanged(outcome: StoryOutcome) -> StoryOutcome:
    return outcome


def turn_run(run: RunState, trigger: Trigger) -> RunState | None:
    status = RUN.get((run.status, trigger))
    return None if status is None else replace(run, status=status)


def continued(run: RunState) -> RunState:
    """The run as it continues; a run that had ended is reopened without its earlier requests."""
    again = replace(
        run,
        ended_at=None,
        requests=replace(
            run.requests,
            cancelling=False,
            unwanted=frozenset(),
            cancelled_stories=frozenset(),
            paused=False,
            paused_stories=frozenset(),
        ),
    )
    return turn_run(again, Trigger.REOPEN) or run


def turn_outcome(outcome: StoryOutcome, trigger: Trigger) -> StoryOutcome | None:
    """The outcome in its new status, by the same table as the story itself; None if the table does not allow it."""
    status = STORY.get((outcome.status, trigger))
    return None if status is None else replace(outcome, status=status)


def turn_story_of(run: RunState, story: StoryId, trigger: Trigger, change: Change = _unchanged) -> RunState | None:
    """The run with a story in its new status, and changed; None if that is not allowed or the run is not running."""
    known = run.stories.get(story)
    if run.status is not RunStatus.RUNNING or known is None:
        return None
    outcome = turn_outcome(change(known), trigger)
    return None if outcome is None else replace(run, stories={**run.stories, story: outcome})
