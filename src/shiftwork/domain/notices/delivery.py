"""When people are notified: a story that needs an answer notifies before it waits, a run's result before the run ends.

Before, because a finished stream has no job that could resend a notice after a crash. So each notice is sent at least
once, under a number that stays the same. A channel that fails is tried a few times and then given up.
"""

from typing import Final

from shiftwork.domain.core.decision import Effects
from shiftwork.domain.notices import effects as notices_effects
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.notices.notice import NoticePlan, Noticing, Occasion
from shiftwork.records import replace

MAX_TRIES: Final = 3


def due_notice(plan: NoticePlan, known: Noticing, occasions: tuple[Occasion, ...], number: int) -> Effects:
    wanted = next((occasion for occasion in occasions if occasion in plan.occasions), None)
    channels = tuple(name for name in plan.channels if name not in known.reached)
    if wanted is None or not channels or number <= known.settled:
        return ()
    nth = known.tries + 1
    return (
        notices_effects.Notify(
            key=f"notice/{number}/{nth}", number=number, nth=nth, occasion=wanted, channels=channels
        ),
    )


def tried(known: Noticing, fact: NoticeTried) -> Noticing | None:
    if fact.number <= known.settled:
        return None
    tries = known.tries + 1
    if not fact.missed or tries >= MAX_TRIES:
        return Noticing(settled=fact.number, missed=fact.missed)
    return replace(known, tries=tries, reached=(*known.reached, *fact.reached))
