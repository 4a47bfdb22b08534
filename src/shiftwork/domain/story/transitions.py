"""How the status of a story changes."""

from typing import Final

from shiftwork.domain.core.machine import Table, Trigger
from shiftwork.domain.story.state import StoryState, StoryStatus
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.transitions import turn_step
from shiftwork.records import replace

STORY: Final[Table[StoryStatus]] = {
    (StoryStatus.UNCLAIMED, Trigger.START): StoryStatus.IN_PROGRESS,
    (StoryStatus.UNCLAIMED, Trigger.ADOPT): StoryStatus.COMPLETED,
    (StoryStatus.UNCLAIMED, Trigger.BLOCK): StoryStatus.BLOCKED,
    (StoryStatus.UNCLAIMED, Trigger.CANCEL): StoryStatus.CANCELLED,
    (StoryStatus.BLOCKED, Trigger.UNBLOCK): StoryStatus.UNCLAIMED,
    (StoryStatus.BLOCKED, Trigger.CANCEL): StoryStatus.CANCELLED,
    (StoryStatus.IN_PROGRESS, Trigger.COMPLETE): StoryStatus.COMPLETED,
    (StoryStatus.IN_PROGRESS, Trigger.FAIL): StoryStatus.FAILED,
    (StoryStatus.IN_PROGRESS, Trigger.CANCEL): StoryStatus.CANCELLED,
    (StoryStatus.FAILED, Trigger.CANCEL): StoryStatus.CANCELLED,
    (StoryStatus.FAILED, Trigger.RETRY): StoryStatus.UNCLAIMED,
    (StoryStatus.FAILED, Trigger.REOPEN): StoryStatus.IN_PROGRESS,
    (StoryStatus.CANCELLED, Trigger.RETRY): StoryStatus.UNCLAIMED,
    (StoryStatus.CANCELLED, Trigger.REOPEN): StoryStatus.IN_PROGRESS,
    (StoryStatus.COMPLETED, Trigger.UNDO): StoryStatus.UNDONE,
    (StoryStatus.UNDONE, Trigger.RETRY): StoryStatus.UNCLAIMED,
    (StoryStatus.UNDONE, Trigger.REOPEN): StoryStatus.IN_PROGRESS,
    (StoryStatus.COMPLETED, Trigger.MISS): StoryStatus.MISSING,
    (StoryStatus.MISSING, Trigger.FIND): StoryStatus.COMPLETED,
    (StoryStatus.MISSING, Trigger.RETRY): StoryStatus.UNCLAIMED,
    (StoryStatus.MISSING, Trigger.REOPEN): StoryStatus.IN_PROGRESS,
}


def turn_step_of(story: StoryState, step: Step, trigger: Trigger) -> StoryState | None:
    """The story with one of its steps in a new status; None if the step's status does not allow it."""
    turned = turn_step(step, trigger)
    return None if turned is None else replace(story, pipeline=story.pipeline.with_step(turned))


def turn_story(story: StoryState, trigger: Trigger) -> StoryState | None:
    status = STORY.get((story.status, trigger))
    return None if status is None else replace(story, status=status)
