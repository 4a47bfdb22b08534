"""Which profile plays a role, learnt from the stories that landed: a bandit without dice.

Of each profile is known how many stories it landed (which is what is verified) and what they cost. From that follows
between which ends its verified stories per dollar lie: Wilson's interval of the rate, divided by the price of a story,
which may be off by what one story more, or one for nothing, would change. The higher end, read the other way round, is
the lower confidence bound on what a verified story costs; the profile where that is lowest is chosen. So:

- A profile that has not been tried is tried once: what it costs is known from nothing else.
- One that is dear is let be at once where landing everything would not make up for its price.
- One that could still be the best is tried until its record says otherwise: the fewer its stories, the wider apart the
  ends. In the long run they widen with the logarithm of all stories: nobody is let go for ever for one bad day.
- One whose higher end is below another's lower end is ruled out, and not chosen while that is so.

What is under way is taken to end as the profile's stories before it did, so that a batch is spread before it is known;
and so is what came to nothing by no fault of the profile's, so that one which is always at its limit is asked for less
and less. A story of which not all the money is known is taken for as dear as the dearest that is known.

Options not taken: the profile whose lower end is highest (whoever leads early stays; to look at others on the side, so
as to mend that, cost twice as much), Thompson sampling (the same record must give the same choice, also after a crash),
a width that knows how many stories are ahead, and one that counts how much the prices vary (neither gained anything).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from shiftwork.domain.agents.tally import ANY_ROLE, Tally
from shiftwork.domain.workflow.workflow import AgentPlan, StepKind, StepPlan

SURE: Final = 1.6
"""How many standard deviations the interval reaches to either side: one time of twenty the truth is above it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A profile in a role: the ends of what its record allows, in verified stories per dollar, or per story where what
    some of the profiles cost is not known; and the price of one try in the same measure.
    """

    tally: Tally
    price: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The answer and its reason; `standings` are in the order of the candidates, `priced` says what was compared."""

    profile: str
    why: str
    standings: tuple[Standing, ...]
    priced: bool


def choose(role: str, candidates: Sequence[str], tallies: Iterable[Tally]) -> Choice:
    """The profile for the next story. Where nothing tells two apart, the one that stands first in the settings."""
    known = {tally.profile: tally for tally in tallies if tally.role == role}
    record = [known.get(name, Tally(role=role, profile=name)) for name in candidates]
    paid = _paid(record)
    priced = bool(paid) and all(tally.profile in paid for tally in record if tally.ended)
    usual = fmean(paid.values()) if priced else None
    stories = sum(tally.tries for tally in record)
    standings = tuple(_standing(tally, stories, usual, paid.get(tally.profile)) for tally in record)
    untried = next((one for one in standings if _untried(one.tally)), None)
    chosen = untried or max(standings, key=lambda one: (one.high, one.low))
    why = _why(chosen, standings, priced=priced)
    return Choice(profile=chosen.tally.profile, why=why, standings=standings, priced=priced)


def _paid(record: Sequence[Tally]) -> dict[str, float]:
    """What a story takes with each profile of which that is known."""
    dearest = max((tally.dearest for tally in record), default=0.0)
    return {
        tally.profile: (tally.cost_usd + tally.unpriced * dearest) / tally.ended for tally in record if tally.cost_usd
    }


def _untried(tally: Tally) -> bool:
    """Where its only story came to nothing by no fault of its own, it has another."""
    return not tally.ended and not tally.under_way and tally.void < 2


def _standing(tally: Tally, stories: int, usual: float | None, paid: float | None) -> Standing:
    """`usual` is what a story costs with the others: until its first has ended, nothing better is known of this one."""
    low, high = _interval(tally, max(SURE**2, math.log(max(stories, 1)) / 2))
    price, off = usual or 1.0, 1.0
    if usual and paid:
        price, off = paid, 1 + 1 / tally.ended
    return Standing(tally=tally, price=price, low=low / price / off, high=high / price * off)


def _interval(tally: Tally, square: float) -> tuple[float, float]:
    """Wilson's score interval of a rate, `square` being that of its width in standard deviations. Rounded, because the
    higher ends of all that landed everything are the same but for the last digit.
    """
    expected = (tally.verified + 0.5) / (tally.ended + 1)
    tries, verified = tally.tries, tally.verified + (tally.under_way + tally.void) * expected
    middle = (verified + square / 2) / (tries + square)
    spread = verified * (tries - verified) / tries if tries else 0.0
    reach = math.sqrt(square * (spread + square / 4)) / (tries + square)
    return max(0.0, round(middle - reach, 12)), min(1.0, round(middle + reach, 12))


def _why(chosen: Standing, standings: Sequence[Standing], *, priced: bool) -> str:
    if _untried(chosen.tally):
        return "nothing is known from its only try" if chosen.tally.void else "it has not been tried yet"
    if not any(one.tally.ended for one in standings):
        return "nothing has been learnt yet, and it was tried least"
    leader = max(standings, key=lambda one: one.low)
    landed = f"{chosen.tally.verified} of {chosen.tally.ended} landed"
    if chosen is leader:
        return f"most surely verified: at least {_told(chosen.low, priced=priced)} ({landed})"
    most = f"at most {_told(chosen.high, priced=priced)}, {leader.tally.profile} {_told(leader.high, priced=priced)}"
    return f"it could still be better than {leader.tally.profile}: {most} ({landed})"


def _told(rate: float, *, priced: bool) -> str:
    return f"{rate:.2f} stories a dollar" if priced else f"{rate:.0%} of its stories"


# Roles ---------------------------------------------------------------------------------------------------------------


def role_of(agent: str, agents: Iterable[AgentPlan]) -> str:
    """The role of a step whose plan names that agent; empty where the workflow says itself who plays it."""
    plan = next((one for one in agents if agent and one.id == agent), None)
    if plan is None:
        return ANY_ROLE
    return "" if plan.profile else plan.role or plan.id


def roles(steps: Iterable[StepPlan], agents: tuple[AgentPlan, ...]) -> tuple[str, ...]:
    """The roles that these steps leave open, each once."""
    found = (role_of(step.agent, agents) for step in steps if step.kind is StepKind.AGENT)
    return tuple(dict.fromkeys(role for role in found if role))
