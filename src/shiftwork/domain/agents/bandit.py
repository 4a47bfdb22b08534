"""Assigns a profile to a role, learnt from the stories that landed: a bandit algorithm without randomness.

For each profile it is known how many stories it landed (which is what is verified) and what they cost. This gives an
interval for its verified stories per dollar: Wilson's interval of the rate, divided by the price of a story, which may
be off by the effect of one more story, or one free story. The upper end, inverted, is the lower confidence bound on the
cost of a verified story; the profile with the lowest bound is chosen. So:

- A profile without a record is tried once: its cost is known from nothing else.
- An expensive profile is dropped at once where landing everything would not make up for its price.
- A profile that could still be the best is tried until its record says otherwise: the fewer its stories, the wider
  its interval. Intervals widen with the logarithm of all stories, so no profile is excluded for ever for a bad day.
- A profile whose upper end is below another's lower end is ruled out, and not chosen while that is so.

Stories in progress are assumed to end as the profile's earlier stories did, so that a batch is spread before its
results are known. The same holds for stories that failed through no fault of the profile, so that a profile that is
always at its rate limit is chosen less and less. A story whose cost is not fully known counts as the most expensive
known story.

Rejected options: the profile with the highest lower end (an early leader stays; exploring others on the side, to fix
that, cost twice as much), Thompson sampling (the same record must give the same choice, also after a crash), a width
that depends on the number of remaining stories, and a width that counts price variance (no gain from either).
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from shiftwork.domain.agents.tally import ANY_ROLE, Choice, Score, Tally
from shiftwork.domain.workflow.workflow import AgentPlan, StepKind, StepPlan

SURE: Final = 1.6
"""How many standard deviations the interval extends to either side: in one case of twenty the true value is above it.
"""


def choose(role: str, candidates: Sequence[str], tallies: Iterable[Tally]) -> Choice:
    """The profile for the next story. In a tie, the profile that comes first in the settings."""
    known = {tally.profile: tally for tally in tallies if tally.role == role}
    record = [known.get(name, Tally(role=role, profile=name)) for name in candidates]
    paid = _paid(record)
    priced = bool(paid) and all(tally.profile in paid for tally in record if tally.ended)
    usual = sum(paid.values()) / len(paid) if priced else None
    stories = sum(tally.tries for tally in record)
    scores = tuple(_score(tally, stories, usual, paid.get(tally.profile)) for tally in record)
    untried = next((status for status in scores if _untried(status.tally)), None)
    chosen = untried or max(scores, key=lambda status: (status.high, status.low))
    why = _why(chosen, scores, priced=priced)
    return Choice(profile=chosen.tally.profile, why=why, scores=scores, priced=priced)


def _paid(record: Sequence[Tally]) -> dict[str, float]:
    """The cost of a story for each profile where it is known."""
    dearest = max((tally.dearest for tally in record), default=0.0)
    return {
        tally.profile: (tally.cost_usd + tally.unpriced * dearest) / tally.ended for tally in record if tally.cost_usd
    }


def _untried(tally: Tally) -> bool:
    """A profile whose only story failed through no fault of its own gets another."""
    return not tally.ended and not tally.in_progress and tally.void < 2


def _score(tally: Tally, stories: int, usual: float | None, paid: float | None) -> Score:
    """`usual` is what a story costs with the other profiles: the best estimate until this profile's first story has
    ended.
    """
    low, high = _interval(tally, max(SURE**2, math.log(max(stories, 1)) / 2))
    price, off = usual or 1.0, 1.0
    if usual and paid:
        price, off = paid, 1 + 1 / tally.ended
    return Score(tally=tally, price=price, low=low / price / off, high=high / price * off)


def _interval(tally: Tally, square: float) -> tuple[float, float]:
    """Wilson's score interval of a rate; `square` is the square of its width in standard deviations. Rounded, because
    the upper ends of all profiles that landed everything differ only in the last digit.
    """
    expected = (tally.verified + 0.5) / (tally.ended + 1)
    tries, verified = tally.tries, tally.verified + (tally.in_progress + tally.void) * expected
    middle = (verified + square / 2) / (tries + square)
    spread = verified * (tries - verified) / tries if tries else 0.0
    reach = math.sqrt(square * (spread + square / 4)) / (tries + square)
    return max(0.0, round(middle - reach, 12)), min(1.0, round(middle + reach, 12))


def _why(chosen: Score, scores: Sequence[Score], *, priced: bool) -> str:
    if _untried(chosen.tally):
        return "its only attempt gave no result" if chosen.tally.void else "it has not been tried yet"
    if not any(status.tally.ended for status in scores):
        return "no results yet, and it was tried least"
    leader = max(scores, key=lambda status: status.low)
    landed = f"{chosen.tally.verified} of {chosen.tally.ended} landed"
    if chosen is leader:
        return f"most reliable so far: at least {_output(chosen.low, priced=priced)} ({landed})"
    most = (
        f"at most {_output(chosen.high, priced=priced)}, {leader.tally.profile} {_output(leader.high, priced=priced)}"
    )
    return f"it could still be better than {leader.tally.profile}: {most} ({landed})"


def _output(rate: float, *, priced: bool) -> str:
    return f"{rate:.2f} stories a dollar" if priced else f"{rate:.0%} of its stories"


# Roles ---------------------------------------------------------------------------------------------------------------


def role_of(agent: str, agents: Iterable[AgentPlan]) -> str:
    """The role of a step whose plan names that agent; empty where the workflow itself assigns the profile."""
    plan = next((item for item in agents if agent and item.id == agent), None)
    if plan is None:
        return ANY_ROLE
    return "" if plan.profile else plan.role or plan.id


def roles(steps: Iterable[StepPlan], agents: tuple[AgentPlan, ...]) -> tuple[str, ...]:
    """The roles without an assigned profile in these steps, each once."""
    found = (role_of(step.agent, agents) for step in steps if step.kind is StepKind.AGENT)
    return tuple(dict.fromkeys(role for role in found if role))
