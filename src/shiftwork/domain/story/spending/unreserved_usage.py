"""What was used while the run had no limit: a run that is given one later has it in its books all the same.

A story keeps count of what it has used without an allowance, and tells it when it ends, or as soon as it hears of a
limit of the run. Until all stories under way have told it, the run cannot know what is left, and grants nothing.
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
"""The number under which a story tells what it has used without an allowance; claims are counted from 1."""


def opened(limits: Limits) -> Usage | None:
    """The count with which a story begins; none where all that it uses will be claimed."""
    return None if limits.run.is_set else NOTHING_USED


def counted(story: StoryState, used: Usage) -> Usage | None:
    return None if story.spending.unreserved is None else story.spending.unreserved + used


def owed(story: StoryState) -> Effects:
    """An attempt under way is waited for: it is not claimed either."""
    step = story.pipeline.current
    under_way = step is not None and step.plan.kind is StepKind.AGENT and step.status is StepStatus.IN_PROGRESS
    if story.spending.unreserved is None or not story.spending.limits.run.is_set or under_way:
        return ()
    return (story_effects.SettleAllowance(key=f"settle/{UNCLAIMED}", number=UNCLAIMED, used=story.spending.unreserved),)
