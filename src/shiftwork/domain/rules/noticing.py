"""When people are told: that a story waits for them, before it does; how a run ended, before it is over.

Before, because what is over has no job any more that could take a notice up again after a crash. So each notice is sent
at least once, under a number that stays the same; a channel that takes none is tried a few times, and then let be.
"""

from dataclasses import replace
from typing import Final

from shiftwork.domain.model import effects as e
from shiftwork.domain.model.notice_facts import NoticeTried
from shiftwork.domain.model.notices import NoticePlan, Noticing, Occasion
from shiftwork.domain.model.run import RunState, RunStatus
from shiftwork.domain.model.story import HoldCause, StoryState
from shiftwork.domain.rules.deciding import Effects

MAX_TRIES: Final = 3

_ENDS: Final = {RunStatus.COMPLETED: (Occasion.FINISHED,), RunStatus.FAILED: (Occasion.FAILED,)}
"""Whoever cancels a run knows of it."""


def notice_of_hold(story: StoryState) -> Effects:
    """A story at its spending limit is a matter of the budget to those who want to hear of that, else it just waits."""
    if story.hold is None:
        return ()
    spent = story.hold.cause is HoldCause.LIMIT
    occasions = (Occasion.BUDGET, Occasion.NEEDS_YOU) if spent else (Occasion.NEEDS_YOU,)
    return _due(story.given.notices, story.noticing, occasions, story.holds)


def notice_of_end(run: RunState, status: RunStatus) -> Effects:
    return _due(run.given.notices, run.noticing, _ENDS.get(status, ()), run.endings + 1)


def _due(plan: NoticePlan, known: Noticing, occasions: tuple[Occasion, ...], number: int) -> Effects:
    wanted = next((one for one in occasions if one in plan.occasions), None)
    channels = tuple(name for name in plan.channels if name not in known.reached)
    if wanted is None or not channels or number <= known.settled:
        return ()
    nth = known.tries + 1
    return (e.Notify(key=f"notice/{number}/{nth}", number=number, nth=nth, occasion=wanted, channels=channels),)


def tried(known: Noticing, fact: NoticeTried) -> Noticing | None:
    if fact.number <= known.settled:
        return None
    tries = known.tries + 1
    if not fact.missed or tries >= MAX_TRIES:
        return Noticing(settled=fact.number, missed=fact.missed)
    return replace(known, tries=tries, reached=(*known.reached, *fact.reached))


def story_noticed(story: StoryState, fact: NoticeTried) -> StoryState | None:
    noticing = tried(story.noticing, fact)
    return replace(story, noticing=noticing) if noticing else None


def run_noticed(run: RunState, fact: NoticeTried) -> RunState | None:
    noticing = tried(run.noticing, fact) if run.status is RunStatus.RUNNING else None
    return replace(run, noticing=noticing) if noticing else None
