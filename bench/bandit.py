"""What it costs to learn which profile to use, compared with knowing the best profile from the start.

A fleet is three simulated profiles, each with its own chance of landing a story and its own price; the cost of a story
varies about the price (log-normal: two of three stories between 0.54 and 1.46 times it). The chooser is the product's
own rule. It works through 200 stories; the measure is money per verified story over all 200, the learning included,
divided by what the best fixed profile needs for the same 200. Draws are shared: the nth story of a profile has the same
outcome whichever rule chose the profile. A fleet is played several times, and its ratio is of the sums over those
plays.

Ordinary fleets have names. The others are drawn with a seed that was used for nothing else: the rule's two numbers were
tuned with other seeds on similar fleets, and on the named fleets, which therefore prove less. The last line is the mean
of the ratios of the fleets in the first drawn set. "Floor" is the ratio of a chooser that tries each profile once,
because its price is unknown, and then knows the best.
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
ROUNDS = 12
VARIES = 0.5
TARGET = 1.10
SEED = "held out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Its true values, unknown to the chooser: the chance that its story lands, and the average cost of a story."""

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
    """Fleets with uniform chances between two bounds and log-uniform prices from 1 to `dearest`; `at_once` stories are
    in progress at a time.
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
    """The record after all stories, chosen by the rule; a story ends when `at_once` are in progress."""
    record = {name: Tally(role=ANY_ROLE, profile=name) for name in fates}
    in_progress: deque[str] = deque()
    for story in range(STORIES + at_once - 1):
        if story < STORIES:
            name = choose(ANY_ROLE, tuple(fates), record.values()).profile
            record[name] = replace(record[name], in_progress=record[name].in_progress + 1)
            in_progress.append(name)
        if story >= at_once - 1:
            name = in_progress.popleft()
            tally = record[name]
            record[name] = added(replace(tally, in_progress=tally.in_progress - 1), [fates[name][tally.ended]])
    return record


def outcome_of(fates: Mapping[str, Sequence[tuple[bool, float]]], best: str) -> Record:
    """The record of a chooser that tries each profile once and then knows the best."""
    tries = dict.fromkeys(fates, 1) | {best: STORIES - len(fates) + 1}
    return {name: added(Tally(role=ANY_ROLE, profile=name), fates[name][:many]) for name, many in tries.items()}


def per_verified(records: Iterable[Record]) -> float:
    tallies = [tally for record in records for tally in record.values()]
    return sum(tally.cost_usd or 0.0 for tally in tallies) / sum(tally.verified for tally in tallies)


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """The plays of a fleet: the records of the rule, and the results of the best fixed profile and of the floor."""

    title: str
    fleet: Fleet
    records: Sequence[Record]
    fixed: float
    floor: float

    @property
    def best(self) -> Profile:
        return min(self.fleet.values(), key=lambda profile: profile.per_verified)

    @cached_property
    def ratio(self) -> float:
        return per_verified(self.records) / self.fixed

    def given(self, name: str) -> float:
        """How many of the stories went to that profile, on average."""
        return fmean(record[name].ended for record in self.records)

    def wasted(self, name: str) -> float:
        """The excess cost of stories given to that profile, as a share of what the best profile needs for all."""
        profile, best = self.fleet[name], self.best
        return self.given(name) * (profile.cost - profile.chance * best.per_verified) / (STORIES * best.cost)


def outcomes_of(title: str, fleet: Fleet, at_once: int = 1) -> Outcomes:
    best = min(fleet, key=lambda name: fleet[name].per_verified)
    fates = [
        {name: profile.stories(f"{SEED}/{title}/{play}/{name}") for name, profile in fleet.items()}
        for play in range(ROUNDS)
    ]
    fixed = [{best: added(Tally(role=ANY_ROLE, profile=best), fate[best])} for fate in fates]
    return Outcomes(
        title=title,
        fleet=fleet,
        records=[worked(fate, at_once) for fate in fates],
        fixed=per_verified(fixed),
        floor=per_verified(outcome_of(fate, best) for fate in fates) / per_verified(fixed),
    )


# Reporting -----------------------------------------------------------------------------------------------------------


def row(title: str, fleets: Sequence[Outcomes]) -> str:
    ratios = [scene.ratio for scene in fleets]
    ninth = quantiles(ratios, n=10, method="inclusive")[-1] if len(ratios) > 1 else ratios[0]
    floor, over = fmean(scene.floor for scene in fleets), sum(ratio > TARGET for ratio in ratios)
    return (
        f"{title:<21} {len(fleets):>6} {fmean(ratios):>7.3f} {ninth:>7.3f} {max(ratios):>7.3f} {floor:>7.3f} {over:>7}"
    )


def reason(scene: Outcomes) -> str:
    """Where most of the excess went, and how many stories it takes to distinguish that profile from the best: by the
    bound of Lai and Robbins, `ln(stories)` over the divergence between its chance and the chance that would make it the
    best.
    """
    name = max(scene.fleet, key=scene.wasted)
    profile, best = scene.fleet[name], scene.best
    needed = profile.cost / best.per_verified
    spent = f"{scene.given(name):.0f} stories went to a profile that lands {profile.chance:.0%} at {profile.cost:.2f}"
    instead = f"the best lands {best.chance:.0%} at {best.cost:.2f}"
    if needed >= 1:
        return f"{spent}, {instead}: each costs {scene.wasted(name) / scene.given(name):.1%} of all, and costs vary"
    looks = math.log(STORIES) / _divergence(profile.chance, needed)
    return f"{spent}, {instead}: to distinguish them takes about {looks:.0f}"


def _divergence(chance: float, other: float) -> float:
    return chance * math.log(chance / other) + (1 - chance) * math.log((1 - chance) / (1 - other))


def main() -> None:
    print(f"money per verified story over {STORIES} stories against the best fixed profile, {ROUNDS} rounds a fleet\n")
    print(f"{'':<21} {'fleets':>6} {'mean':>7} {'90th':>7} {'worst':>7} {'floor':>7} {'> ' + format(TARGET, '.2f'):>7}")
    named = [outcomes_of(title, fleet) for title, fleet in NAMED.items()]
    for scene in named:
        print(row(scene.title, [scene]))
    print()
    drawn = {item.title: [outcomes_of(title, fleet, item.at_once) for title, fleet in item.fleets()] for item in SETS}
    for title, fleets in drawn.items():
        print(row(title, fleets))
    print(f"\nfleets above {TARGET:.2f}:")
    for scene in sorted(
        [*named, *(fleet for fleets in drawn.values() for fleet in fleets)], key=lambda item: -item.ratio
    ):
        if scene.ratio > TARGET:
            print(f"{scene.title:<21} {scene.ratio:.3f}  floor {scene.floor:.3f}  {reason(scene)}")
    print(f"\nthe mean over the {SETS[0].many} fleets drawn as {SETS[0].title!r}:")
    print(f"{fmean(item.ratio for item in drawn[SETS[0].title]):.3f}")


if __name__ == "__main__":
    main()
