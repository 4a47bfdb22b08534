"""What learning which profile to use costs, against having known the best one from the start.

A fleet is three simulated profiles, each landing a story with a chance and at a price of its own; what one story costs
varies about the price (log-normal: two of three stories between 0.54 and 1.46 times it). The chooser is the product's
own rule. It works through 200 stories; the measure is money per verified story over all 200, the learning included,
divided by what the best fixed profile takes for the same 200. Draws are common: the nth story that a profile is given
goes the same whoever chose it. A fleet is played several times, and its ratio is of the sums over those plays.

Ordinary fleets have names. The others are drawn, with a seed that was used for nothing else: the rule's two numbers
were settled with other seeds on fleets drawn alike, and on the named ones, which therefore prove less. The last line is
the mean of the ratios of the first drawn set's fleets. "Floor" is what remains for one who tries each profile once, as
a price that nobody knows demands, and is then told the best.
"""

import math
import random
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean, quantiles

from shiftwork.domain.agents.bandit import choose
from shiftwork.domain.agents.tally import ANY_ROLE, Tally

STORIES = 200
PLAYS = 12
VARIES = 0.5
TARGET = 1.10
SEED = "held out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is true of it and nobody knows: the chance that its story lands, and what a story costs on average."""

    chance: float
    cost: float

    @property
    def per_verified(self) -> float:
        return self.cost / self.chance

    def stories(self, seed: str) -> Sequence[tuple[bool, float]]:
        """Whether each of its stories lands, and at what cost."""
        drawn = random.Random(seed)  # noqa: S311 - nothing secret is drawn
        middle = math.log(self.cost) - VARIES**2 / 2
        return [(drawn.random() < self.chance, drawn.lognormvariate(middle, VARIES)) for _ in range(STORIES)]


type Fleet = Mapping[str, Profile]
type Record = Mapping[str, Tally]

NAMED: Mapping[str, Fleet] = {
    "cheap is best": {
        "cheap": Profile(chance=0.80, cost=0.40),
        "middle": Profile(chance=0.88, cost=1.20),
        "dear": Profile(chance=0.95, cost=4.00),
    },
    "dear is best": {
        "cheap": Profile(chance=0.15, cost=0.60),
        "middle": Profile(chance=0.45, cost=1.40),
        "dear": Profile(chance=0.95, cost=1.80),
    },
    "middle is best": {
        "cheap": Profile(chance=0.30, cost=0.50),
        "middle": Profile(chance=0.90, cost=0.80),
        "dear": Profile(chance=0.92, cost=2.00),
    },
    "hardly a difference": {
        "cheap": Profile(chance=0.60, cost=0.62),
        "middle": Profile(chance=0.75, cost=0.75),
        "dear": Profile(chance=0.90, cost=0.95),
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Fleets whose chances are uniform between two ends and whose prices are log-uniform from 1 to `dearest`; so many
    stories are under way `at_once`.
    """

    title: str
    chances: tuple[float, float]
    dearest: float
    at_once: int = 1
    many: int = 30

    def fleets(self) -> Iterator[tuple[str, Fleet]]:
        drawn = random.Random(f"{SEED}/{self.title}")  # noqa: S311 - nothing secret is drawn
        for number in range(self.many):
            profiles = {
                name: Profile(chance=drawn.uniform(*self.chances), cost=self.dearest ** drawn.random())
                for name in ("first", "second", "third")
            }
            yield f"{self.title} {number}", profiles


SETS = (
    Drawn(title="any", chances=(0.3, 0.98), dearest=10, many=100),
    Drawn(title="alike", chances=(0.5, 0.95), dearest=3),
    Drawn(title="poor", chances=(0.05, 0.95), dearest=10),
    Drawn(title="four at once", chances=(0.3, 0.98), dearest=10, at_once=4),
)


# Playing -------------------------------------------------------------------------------------------------------------


def added(tally: Tally, outcomes: Iterable[tuple[bool, float]]) -> Tally:
    ended = tuple(outcomes)
    return replace(
        tally,
        ended=tally.ended + len(ended),
        verified=tally.verified + sum(landed for landed, _ in ended),
        cost_usd=(tally.cost_usd or 0.0) + sum(cost for _, cost in ended),
    )


def worked(fates: Mapping[str, Sequence[tuple[bool, float]]], at_once: int) -> Record:
    """The record after all stories, chosen by the rule; a story ends when `at_once` are under way."""
    record = {name: Tally(role=ANY_ROLE, profile=name) for name in fates}
    under_way: deque[str] = deque()
    for story in range(STORIES + at_once - 1):
        if story < STORIES:
            name = choose(ANY_ROLE, tuple(fates), record.values()).profile
            record[name] = replace(record[name], under_way=record[name].under_way + 1)
            under_way.append(name)
        if story >= at_once - 1:
            name = under_way.popleft()
            tally = record[name]
            record[name] = added(replace(tally, under_way=tally.under_way - 1), [fates[name][tally.ended]])
    return record


def told(fates: Mapping[str, Sequence[tuple[bool, float]]], best: str) -> Record:
    """The record of one who tries each once and is then told which is best."""
    tries = dict.fromkeys(fates, 1) | {best: STORIES - len(fates) + 1}
    return {name: added(Tally(role=ANY_ROLE, profile=name), fates[name][:many]) for name, many in tries.items()}


def per_verified(records: Iterable[Record]) -> float:
    tallies = [tally for record in records for tally in record.values()]
    return sum(tally.cost_usd or 0.0 for tally in tallies) / sum(tally.verified for tally in tallies)


@dataclass(frozen=True, kw_only=True)
class Played:
    """A fleet's plays: the records the rule came to, and what the best fixed profile and the floor took for as much."""

    title: str
    fleet: Fleet
    records: Sequence[Record]
    fixed: float
    floor: float

    @property
    def best(self) -> Profile:
        return min(self.fleet.values(), key=lambda one: one.per_verified)

    @cached_property
    def ratio(self) -> float:
        return per_verified(self.records) / self.fixed

    def given(self, name: str) -> float:
        """How many of the stories went to that profile, on average."""
        return fmean(record[name].ended for record in self.records)

    def wasted(self, name: str) -> float:
        """What went there and would not have with the best profile, as a share of what the best takes for all."""
        profile, best = self.fleet[name], self.best
        return self.given(name) * (profile.cost - profile.chance * best.per_verified) / (STORIES * best.cost)


def played(title: str, fleet: Fleet, at_once: int = 1) -> Played:
    best = min(fleet, key=lambda name: fleet[name].per_verified)
    fates = [
        {name: profile.stories(f"{SEED}/{title}/{play}/{name}") for name, profile in fleet.items()}
        for play in range(PLAYS)
    ]
    fixed = [{best: added(Tally(role=ANY_ROLE, profile=best), fate[best])} for fate in fates]
    return Played(
        title=title,
        fleet=fleet,
        records=[worked(fate, at_once) for fate in fates],
        fixed=per_verified(fixed),
        floor=per_verified(told(fate, best) for fate in fates) / per_verified(fixed),
    )


# Telling -------------------------------------------------------------------------------------------------------------


def row(title: str, fleets: Sequence[Played]) -> str:
    ratios = [one.ratio for one in fleets]
    ninth = quantiles(ratios, n=10, method="inclusive")[-1] if len(ratios) > 1 else ratios[0]
    floor, over = fmean(one.floor for one in fleets), sum(ratio > TARGET for ratio in ratios)
    return (
        f"{title:<21} {len(fleets):>6} {fmean(ratios):>7.3f} {ninth:>7.3f} {max(ratios):>7.3f} {floor:>7.3f} {over:>7}"
    )


def reason(one: Played) -> str:
    """Where most of the excess went, and how much looking it takes to tell that profile from the best one: by the bound
    of Lai and Robbins, `ln(stories)` over the divergence between its chance and the one that would make it the best.
    """
    name = max(one.fleet, key=one.wasted)
    profile, best = one.fleet[name], one.best
    needed = profile.cost / best.per_verified
    spent = f"{one.given(name):.0f} stories went to one that lands {profile.chance:.0%} at {profile.cost:.2f}"
    instead = f"the best lands {best.chance:.0%} at {best.cost:.2f}"
    if needed >= 1:
        return f"{spent}, {instead}: each costs {one.wasted(name) / one.given(name):.1%} of all, and prices vary"
    looks = math.log(STORIES) / _divergence(profile.chance, needed)
    return f"{spent}, {instead}: to tell them apart takes about {looks:.0f}"


def _divergence(chance: float, other: float) -> float:
    return chance * math.log(chance / other) + (1 - chance) * math.log((1 - chance) / (1 - other))


def main() -> None:
    print(f"money per verified story over {STORIES} stories against the best fixed profile, {PLAYS} plays a fleet\n")
    print(f"{'':<21} {'fleets':>6} {'mean':>7} {'90th':>7} {'worst':>7} {'floor':>7} {'> ' + format(TARGET, '.2f'):>7}")
    named = [played(title, fleet) for title, fleet in NAMED.items()]
    for one in named:
        print(row(one.title, [one]))
    print()
    drawn = {one.title: [played(title, fleet, one.at_once) for title, fleet in one.fleets()] for one in SETS}
    for title, fleets in drawn.items():
        print(row(title, fleets))
    print(f"\nfleets above {TARGET:.2f}:")
    for one in sorted([*named, *(one for fleets in drawn.values() for one in fleets)], key=lambda one: -one.ratio):
        if one.ratio > TARGET:
            print(f"{one.title:<21} {one.ratio:.3f}  floor {one.floor:.3f}  {reason(one)}")
    print(f"\nthe mean over the {SETS[0].many} fleets drawn as {SETS[0].title!r}:")
    print(f"{fmean(one.ratio for one in drawn[SETS[0].title]):.3f}")


if __name__ == "__main__":
    main()
