"""Usage while the run had no limit: it counts against a limit that the run receives later.

A story counts what it has used without an allowance, and reports it when it ends or as soon as it receives a limit of
the run. Until all stories in progress have reported, the run cannot know what is left, and grants nothing.
"""

from typing import Final

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.decision import Effects
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.domain.workflow.workflow import StepKind

UNCLAIMED: Final = 0
"""The number under which a story reports usage without an allowance; claims are counted from 1."""


def opened(limits: Limits) -> Usage | None:
    """The initial count of a story; None if it will claim everything that it uses."""
    return None if limits.run.is_set else NOTHING_USED


def counted(story: StoryState, used: Usage) -> Usage | None:
    return None if story.spending.unreserved is None else story.spending.unreserved + used


def owed(story: StoryState) -> Effects:
    """Reports the unreserved usage, but not during an attempt: that attempt has no claim either."""
    step = story.pipeline.current
    in_progress = step is not None and step.plan.kind is StepKind.AGENT and step.status is StepStatus.IN_PROGRESS
    if story.spending.unreserved is None or not story.spending.limits.run.is_set or in_progress:
        return ()
    return (story_effects.SettleAllowance(key=f"settle/{UNCLAIMED}", number=UNCLAIMED, used=story.spending.unreserved),)
