"""The tables by which a status changes; nothing else in the product changes one.

Each table reads: from this status, on this trigger, to that status. A pair that is not in the table is illegal, and
an illegal change is answered with `None`, which `evolve` turns into "nothing changed". The diagrams in the
documentation are drawn from these tables.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final

from shiftwork.domain.model.ids import StoryId
from shiftwork.domain.model.pipeline import Step, StepStatus
from shiftwork.domain.model.queue import Entry, EntryStage
from shiftwork.domain.model.run import RunState, RunStatus, StoryOutcome
from shiftwork.domain.model.story import StoryState, StoryStatus


class Trigger(StrEnum):
    """What moves a status on."""

    START = "start"
    ADOPT = "adopt"
    COMPLETE = "complete"
    FAIL = "fail"
    CANCEL = "cancel"
    INTERRUPT = "interrupt"
    RETRY = "retry"
    SKIP = "skip"
    RESTART = "restart"
    REWIND = "rewind"
    REVIVE = "revive"
    ASK = "ask"
    DEFER = "defer"
    BUILD = "build"
    VERIFY = "verify"
    LAND = "land"
    REFUSE = "refuse"
    WITHDRAW = "withdraw"
    MISS = "miss"
    CLOSE = "close"
    BLOCK = "block"
    UNBLOCK = "unblock"
    REOPEN = "reopen"
    UNDO = "undo"


type Table[S: StrEnum] = Mapping[tuple[S, Trigger], S]

STEP: Final[Table[StepStatus]] = {
    (StepStatus.PENDING, Trigger.START): StepStatus.IN_PROGRESS,
    (StepStatus.PENDING, Trigger.SKIP): StepStatus.SKIPPED,
    (StepStatus.IN_PROGRESS, Trigger.COMPLETE): StepStatus.COMPLETED,
    (StepStatus.IN_PROGRESS, Trigger.FAIL): StepStatus.FAILED,
    (StepStatus.IN_PROGRESS, Trigger.CANCEL): StepStatus.CANCELLED,
    (StepStatus.IN_PROGRESS, Trigger.INTERRUPT): StepStatus.PENDING,
    (StepStatus.IN_PROGRESS, Trigger.RESTART): StepStatus.PENDING,
    (StepStatus.FAILED, Trigger.RETRY): StepStatus.PENDING,
    (StepStatus.CANCELLED, Trigger.RETRY): StepStatus.PENDING,
    (StepStatus.IN_PROGRESS, Trigger.ASK): StepStatus.PENDING,
    (StepStatus.IN_PROGRESS, Trigger.DEFER): StepStatus.PENDING,
    (StepStatus.COMPLETED, Trigger.REWIND): StepStatus.PENDING,
    (StepStatus.SKIPPED, Trigger.REVIVE): StepStatus.PENDING,
}

STORY: Final[Table[StoryStatus]] = {
    (StoryStatus.UNCLAIMED, Trigger.START): StoryStatus.IN_PROGRESS,
    (StoryStatus.UNCLAIMED, Trigger.ADOPT): StoryStatus.COMPLETED,
    (StoryStatus.UNCLAIMED, Trigger.BLOCK): StoryStatus.BLOCKED,
    (StoryStatus.UNCLAIMED, Trigger.CANCEL): StoryStatus.FAILED,
    (StoryStatus.BLOCKED, Trigger.UNBLOCK): StoryStatus.UNCLAIMED,
    (StoryStatus.BLOCKED, Trigger.CANCEL): StoryStatus.FAILED,
    (StoryStatus.IN_PROGRESS, Trigger.COMPLETE): StoryStatus.COMPLETED,
    (StoryStatus.IN_PROGRESS, Trigger.FAIL): StoryStatus.FAILED,
    (StoryStatus.FAILED, Trigger.RETRY): StoryStatus.UNCLAIMED,
    (StoryStatus.FAILED, Trigger.REOPEN): StoryStatus.IN_PROGRESS,
    (StoryStatus.COMPLETED, Trigger.UNDO): StoryStatus.UNDONE,
    (StoryStatus.UNDONE, Trigger.RETRY): StoryStatus.UNCLAIMED,
    (StoryStatus.UNDONE, Trigger.REOPEN): StoryStatus.IN_PROGRESS,
}

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

ENTRY: Final[Table[EntryStage]] = {
    (EntryStage.QUEUED, Trigger.BUILD): EntryStage.BUILT,
    (EntryStage.QUEUED, Trigger.REFUSE): EntryStage.REFUSED,
    (EntryStage.QUEUED, Trigger.WITHDRAW): EntryStage.WITHDRAWN,
    (EntryStage.BUILT, Trigger.VERIFY): EntryStage.VERIFIED,
    (EntryStage.BUILT, Trigger.REFUSE): EntryStage.REFUSED,
    (EntryStage.BUILT, Trigger.MISS): EntryStage.QUEUED,
    (EntryStage.BUILT, Trigger.WITHDRAW): EntryStage.WITHDRAWN,
    (EntryStage.VERIFIED, Trigger.LAND): EntryStage.LANDED,
    (EntryStage.VERIFIED, Trigger.MISS): EntryStage.QUEUED,
    (EntryStage.VERIFIED, Trigger.WITHDRAW): EntryStage.WITHDRAWN,
    (EntryStage.LANDED, Trigger.CLOSE): EntryStage.CLOSED,
    (EntryStage.REFUSED, Trigger.CLOSE): EntryStage.CLOSED,
    (EntryStage.WITHDRAWN, Trigger.CLOSE): EntryStage.CLOSED,
}


def turn_step(step: Step, trigger: Trigger, **changes: Any) -> Step | None:
    status = STEP.get((step.status, trigger))
    return None if status is None else replace(step, status=status, **changes)


def turn_step_of(story: StoryState, step: Step, trigger: Trigger, **changes: Any) -> StoryState | None:
    """The story with one of its steps turned."""
    turned = turn_step(step, trigger, **changes)
    return None if turned is None else replace(story, pipeline=story.pipeline.with_step(turned))


def turn_story(story: StoryState, trigger: Trigger, **changes: Any) -> StoryState | None:
    status = STORY.get((story.status, trigger))
    return None if status is None else replace(story, status=status, **changes)


def turn_run(run: RunState, trigger: Trigger, **changes: Any) -> RunState | None:
    status = RUN.get((run.status, trigger))
    return None if status is None else replace(run, status=status, **changes)


def turn_outcome(outcome: StoryOutcome, trigger: Trigger, **changes: Any) -> StoryOutcome | None:
    """A story as its run sees it goes the way of a story."""
    status = STORY.get((outcome.status, trigger))
    return None if status is None else replace(outcome, status=status, **changes)


def turn_story_of(run: RunState, story: StoryId, trigger: Trigger, **changes: Any) -> RunState | None:
    """The run with one of its stories turned; nothing happens to the stories of a run that is over."""
    known = run.stories.get(story)
    if run.status is not RunStatus.RUNNING or known is None:
        return None
    outcome = turn_outcome(known, trigger, **changes)
    return None if outcome is None else replace(run, stories={**run.stories, story: outcome})


def turn_entry(entry: Entry, trigger: Trigger, **changes: Any) -> Entry | None:
    stage = ENTRY.get((entry.stage, trigger))
    return None if stage is None else replace(entry, stage=stage, **changes)
