"""What was used while the run had no limit: a run that is given one later has it in its books all the same.

A story keeps count of what it has used without an allowance, and tells it when it ends, or as soon as it hears of a
limit of the run. Until all stories under way have told it, the run cannot know what is left, and grants nothing.
"""

from dataclasses import replace
from typing import Final

from shiftwork.domain.model import effects as e
from shiftwork.domain.model.budget import Amount
from shiftwork.domain.model.ids import StoryId
from shiftwork.domain.model.pipeline import StepStatus
from shiftwork.domain.model.run import RunState
from shiftwork.domain.model.story import Limits, StoryState
from shiftwork.domain.model.usage import NOTHING_USED, Usage
from shiftwork.domain.model.workflow import StepKind
from shiftwork.domain.rules import budgets
from shiftwork.domain.rules.deciding import Effects

UNCLAIMED: Final = 0
"""The number under which a story tells what it has used without an allowance; claims are counted from 1."""

# A story's -----------------------------------------------------------------------------------------------------


def opened(limits: Limits) -> Usage | None:
    """The count with which a story begins; none where all that it uses will be claimed."""
    return None if limits.run.is_set else NOTHING_USED


def counted(story: StoryState, used: Usage) -> Usage | None:
    return None if story.unbooked is None else story.unbooked + used


def owed(story: StoryState) -> Effects:
    """An attempt under way is waited for: it is not claimed either."""
    step = story.pipeline.current
    under_way = step is not None and step.kind is StepKind.AGENT and step.status is StepStatus.IN_PROGRESS
    if story.unbooked is None or not story.limits.run.is_set or under_way:
        return ()
    return (e.SettleAllowance(key=f"settle/{UNCLAIMED}", number=UNCLAIMED, used=story.unbooked),)


# A run's -------------------------------------------------------------------------------------------------------


def booked(run: RunState, story: StoryId, used: Usage) -> RunState:
    """What nobody can tell of an attempt is counted as what is set aside for the first of its kind."""
    each, ledger = run.given.limits.attempt, run.ledger
    known = Amount(usd=used.cost_usd or 0.0, tokens=budgets.tokens_of(used))
    guess = Amount(usd=each.usd * used.unpriced, tokens=each.tokens * used.uncounted)
    books = replace(ledger, spent=ledger.spent + known + guess, guessed=ledger.guessed + guess)
    return replace(run, ledger=books, owing=run.owing - {story})


def answers(run: RunState) -> Effects:
    """What comes of the claims, once it is known what is left."""
    return () if run.owing else budgets.answers(run)
