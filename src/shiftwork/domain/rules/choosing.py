"""Which profile plays a role, learnt from the stories that landed: a bandit without dice.

The leader is the profile whose verified stories per money are surely the most: the lower end of what its record allows
(Wilson's interval), divided by what one try costs. So a profile with one lucky story does not lead one that has landed
twenty. A leader chosen that way would never learn of an unlucky better one; so others are tried as well, within bounds:

- Each profile is tried once.
- After that one is tried only while the upper end of its record still beats the leader's lower end, and only until it
  has taken as much money as `1 + ln(stories)` stories that the leader lands: what is spent on looking grows with the
  logarithm, and a leader that rarely lands anything is doubted for longer. The upper end widens as slowly, so that
  nobody is let go for ever because of one bad day.

Options not taken: Thompson sampling (the same record must give the same choice, also after a crash), and choosing by
the upper end (which pays for a dear profile's doubt as if it were as cheap as a cheap one's).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from shiftwork.domain.model.picking import ANY_ROLE, Pick, Tally
from shiftwork.domain.model.story import Assignment
from shiftwork.domain.model.workflow import AgentPlan, StepKind, StepPlan

SURE: Final = 1.3
"""How many standard deviations the interval reaches to either side: nine times of ten the truth is not below it."""


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
    priced = all(tally.cost_usd for tally in record if tally.ended)
    stories = sum(tally.tries for tally in record)
    standings = tuple(_standing(tally, stories, priced=priced) for tally in record)
    if untried := next((one for one in standings if not one.tally.tries), None):
        return Choice(
            profile=untried.tally.profile, why="it has not been tried yet", standings=standings, priced=priced
        )
    leader = max(standings, key=lambda one: one.low)
    chosen = _doubtful(standings, leader) or leader
    why = _led_by(leader, priced=priced) if chosen is leader else _looked_at(chosen, leader)
    return Choice(profile=chosen.tally.profile, why=why, standings=standings, priced=priced)


def _standing(tally: Tally, stories: int, *, priced: bool) -> Standing:
    price = tally.cost_usd / tally.ended if priced and tally.ended and tally.cost_usd else 1.0
    low, _ = _interval(tally, SURE)
    _, high = _interval(tally, max(SURE, math.sqrt(math.log(stories)) if stories else 0.0))
    return Standing(tally=tally, price=price, low=low / price, high=high / price)


def _interval(tally: Tally, sure: float) -> tuple[float, float]:
    """Wilson's score interval of a rate; of nothing it is everything."""
    verified, ended, square = tally.verified, tally.ended, sure**2
    middle = (verified + square / 2) / (ended + square)
    reach = sure / (ended + square) * math.sqrt(verified * (ended - verified) / ended + square / 4) if ended else middle
    return max(0.0, middle - reach), min(1.0, middle + reach)


def _doubtful(standings: Sequence[Standing], leader: Standing) -> Standing | None:
    """Another that could still be better and that to look at is within the bounds: the least looked at first."""
    stories = sum(one.tally.tries for one in standings)
    allowed = (1 + math.log(stories)) / leader.low if leader.low else math.inf  # nobody has landed anything yet
    others = [
        one
        for one in standings
        if one is not leader and one.high > leader.low and one.price * one.tally.tries < allowed
    ]
    return min(others, key=lambda one: one.price * one.tally.tries, default=None)


def _led_by(leader: Standing, *, priced: bool) -> str:
    surely = f"{leader.low:.2f} stories a dollar" if priced else f"{leader.low:.0%} of its stories"
    return f"most surely verified: at least {surely} ({_told(leader)})"


def _looked_at(chosen: Standing, leader: Standing) -> str:
    return f"it could still be better than {leader.tally.profile} ({_told(chosen)})"


def _told(one: Standing) -> str:
    return f"{one.tally.verified} of {one.tally.ended} landed"


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


def picked(
    given: Assignment, steps: Iterable[StepPlan], candidates: Sequence[str], tallies: Sequence[Tally]
) -> Assignment:
    """The assignment with who plays what in it."""
    chosen = ((role, choose(role, candidates, tallies)) for role in roles(steps, given.agents))
    picks = tuple(Pick(role=role, profile=choice.profile, why=choice.why) for role, choice in chosen)
    return replace(given, picks=picks)
