"""What learning which profile to use costs, against having known the best one from the start.

Fleets of three simulated profiles, each landing a story with a chance and at a price of its own, work through 200
stories. The chooser is the product's own rule; the measure is money per verified story over all 200, the learning
included, against the best fixed profile's in the long run. Each fleet is played many times; the mean is told.
"""

import random
from dataclasses import dataclass
from statistics import mean

from shiftwork.domain.model.picking import ANY_ROLE, Tally
from shiftwork.domain.rules.choosing import choose

STORIES = 200
SEEDS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is true of it and nobody knows: the chance that its story lands, and what a story costs on average."""

    chance: float
    cost: float

    @property
    def per_verified(self) -> float:
        return self.cost / self.chance


FLEETS: dict[str, dict[str, Profile]] = {
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


def worked(fleet: dict[str, Profile], seed: str) -> dict[str, Tally]:
    """What the fleet's record is after all stories."""
    chance = random.Random(seed)  # noqa: S311 - nothing secret is drawn
    record: dict[str, Tally] = {}
    for _ in range(STORIES):
        name = choose(ANY_ROLE, tuple(fleet), record.values()).profile
        known = record.get(name, Tally(role=ANY_ROLE, profile=name))
        profile = fleet[name]
        record[name] = Tally(
            role=ANY_ROLE,
            profile=name,
            ended=known.ended + 1,
            verified=known.verified + (chance.random() < profile.chance),
            cost_usd=(known.cost_usd or 0.0) + profile.cost * chance.uniform(0.5, 1.5),
        )
    return record


def per_verified(record: dict[str, Tally]) -> float:
    return sum(one.cost_usd or 0.0 for one in record.values()) / sum(one.verified for one in record.values())


def main() -> None:
    print(f"{'fleet':<22} {'best fixed':<11} {'its $/story':>12} {'learnt $/story':>15} {'ratio':>7} {'worst':>7}")
    ratios = []
    for title, fleet in FLEETS.items():
        best = min(fleet, key=lambda name: fleet[name].per_verified)
        reached = [per_verified(worked(fleet, f"{title}/{seed}")) for seed in range(SEEDS)]
        fixed = fleet[best].per_verified
        ratios.append(mean(reached) / fixed)
        told = f"{fixed:>12.3f} {mean(reached):>15.3f} {ratios[-1]:>7.3f} {max(reached) / fixed:>7.3f}"
        print(f"{title:<22} {best:<11} {told}")
    print(f"\nmoney per verified story over {STORIES} stories against the best fixed profile, mean of {SEEDS} plays;")
    print("the worst of the fleets:")
    print(f"{max(ratios):.3f}")


if __name__ == "__main__":
    main()
