"""How long a run takes against the best that any order could reach: max(critical path, work / slots).

The product's own decide and evolve are played against a world in which time is a number: a story takes its duration,
which the scheduler does not know. Random graphs of 100 stories, 8 slots, several families of graphs. Columns, each
the mean over the graphs of a family:

    blind      no story has a complexity: what the last line sums up
    guessed    complexities from 1 to 5 that tell about half of what decides the duration
    told       complexities that are the durations
    barriers   the same graphs in stages: a stage starts when all of the one before has landed
"""

import heapq
import math
import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.ids import Commit, RunId, StoryId, landing_stream
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RUN_ENDED, RunPlan, RunState, RunStatus
from shiftwork.domain.spec.graph import critical_path, in_order
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.story.state import StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.domain.workflow.workflow import DYNAMIC

STORIES = 100
SLOTS = 8
GRAPHS = 25
SPREAD = 0.6
"""Of the logarithm of durations around their complexity: most lie within a factor of two of it, some far outside."""

type Needs = list[list[int]]
"""What each story depends on, by number; always earlier ones."""


def independent(_: random.Random) -> Needs:
    return [[] for _ in range(STORIES)]


def scattered(chance: random.Random) -> Needs:
    """Each depends on up to three of all the earlier ones."""
    return [chance.sample(range(number), min(number, chance.choice((0, 1, 1, 2, 3)))) for number in range(STORIES)]


def layered(chance: random.Random) -> Needs:
    """Ten layers, each story on one to three of the layer before."""
    return [
        chance.sample(range(number - number % 10 - 10, number - number % 10), chance.randint(1, 3))
        if number > 9
        else []
        for number in range(STORIES)
    ]


def chained(chance: random.Random) -> Needs:
    """A dozen chains of differing lengths, with some ties between them."""
    ends: list[int] = []
    needs: Needs = []
    for number in range(STORIES):
        place = chance.randrange(12)
        first = place >= len(ends)
        tie = [chance.randrange(number)] if number and chance.random() < 0.15 else []
        needs.append(sorted({*([] if first else [ends[place]]), *tie}))
        if first:
            ends.append(number)
        else:
            ends[place] = number
    return needs


def growing(chance: random.Random) -> Needs:
    """A tree: each on one of the twelve before it."""
    return [[chance.randrange(max(0, number - 12), number)] if number else [] for number in range(STORIES)]


def joining(chance: random.Random) -> Needs:
    """Forks and joins: a hub, five to fifteen side by side, a hub that needs them all, and again."""
    needs: Needs = [[]]
    while len(needs) < STORIES:
        hub = len(needs) - 1
        width = min(chance.randint(5, 15), STORIES - len(needs))
        needs += [[hub] for _ in range(width)]
        if len(needs) < STORIES:
            needs.append(list(range(hub + 1, hub + 1 + width)))
    return needs


FAMILIES: dict[str, Callable[[random.Random], Needs]] = {
    "independent": independent,
    "scattered": scattered,
    "layered": layered,
    "chained": chained,
    "growing": growing,
    "joining": joining,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A graph, how long its stories take and how complex they look."""

    edges: dict[StoryId, tuple[StoryId, ...]]
    durations: dict[StoryId, float]
    complexity: dict[StoryId, int]

    @property
    def bound(self) -> float:
        """No order takes less."""
        path = sum(self.durations[story] for story in critical_path(self.edges, self.durations))
        return max(path, sum(self.durations.values()) / SLOTS)


def case(family: str, seed: int) -> Case:
    chance = random.Random(f"{family}/{seed}")  # noqa: S311 - nothing secret is drawn
    names = [StoryId(f"US-{number:03d}") for number in range(STORIES)]
    needs = FAMILIES[family](chance)
    complexity = {name: chance.randint(1, 5) for name in names}
    return Case(
        edges={name: tuple(names[other] for other in needs[number]) for number, name in enumerate(names)},
        durations={name: chance.lognormvariate(math.log(10 * complexity[name]), SPREAD) for name in names},
        complexity=complexity,
    )


def planned(world: Case, complexity: dict[StoryId, int]) -> RunPlan:
    stories = tuple(
        Story(id=name, title=name, description="", depends_on=needs, complexity=complexity.get(name, 3))
        for name, needs in world.edges.items()
    )
    return RunPlan(
        run=RunId("bench"),
        spec=Spec(title="bench", description="", stories=stories),
        workflow=DYNAMIC,
        branch="main",
        landing=landing_stream("bench", "main"),
        agent="none",
        parallel=SLOTS,
    )


def makespan(world: Case, complexity: dict[StoryId, int]) -> float:
    """When the run is over, if nothing but its stories takes time."""
    run = evolve_run(RunState(), run_facts.RunStarted(at=0, plan=planned(world, complexity)))
    now, flying = 0.0, list[tuple[float, StoryId]]()
    while run.status not in RUN_ENDED:
        for effect in decide_run(run):
            match effect:
                case run_effects.DispatchStory(assignment=given):
                    heapq.heappush(flying, (now + world.durations[given.story.id], given.story.id))
                    run = evolve_run(run, run_facts.StoryDispatched(at=now, story=given.story.id, slot=given.slot))
                case e.Conclude(facts=(ended,)):
                    run = evolve_run(run, ended)
                case _:
                    now, story = heapq.heappop(flying)
                    run = evolve_run(run, landed(now, story))
    assert run.status is RunStatus.COMPLETED
    return now


def landed(at: float, story: StoryId) -> run_facts.StoryEnded:
    commit, status = Commit(f"of {story}"), StoryStatus.COMPLETED
    return run_facts.StoryEnded(
        at=at, story=story, status=status, commit=commit, reason="", cause=None, usage=NOTHING_USED
    )


def with_barriers(world: Case) -> float:
    """Stage after stage, as many at once, longest first: the best that barriers allow."""
    stage: dict[StoryId, int] = {}
    for story in in_order(world.edges):
        stage[story] = 1 + max((stage[needed] for needed in world.edges[story]), default=0)
    return sum(
        packed([world.durations[story] for story, its in stage.items() if its == number])
        for number in range(1, max(stage.values()) + 1)
    )


def packed(durations: list[float]) -> float:
    slots = [0.0] * SLOTS
    for duration in sorted(durations, reverse=True):
        heapq.heapreplace(slots, slots[0] + duration)
    return max(slots)


def main() -> None:
    print(f"{STORIES} stories, {SLOTS} slots, {GRAPHS} graphs a family; makespan / max(critical path, work / slots)\n")
    print(f"{'family':12} {'blind':>7} {'worst':>7} {'guessed':>8} {'told':>7} {'barriers':>9}")
    all_blind: list[float] = []
    for family in FAMILIES:
        cases = [case(family, seed) for seed in range(GRAPHS)]
        blind = [makespan(one, {}) / one.bound for one in cases]
        guessed = [makespan(one, one.complexity) / one.bound for one in cases]
        told = [makespan(one, {name: round(it) for name, it in one.durations.items()}) / one.bound for one in cases]
        barriers = [with_barriers(one) / one.bound for one in cases]
        means = [statistics.mean(column) for column in (guessed, told, barriers)]
        shown = f"{statistics.mean(blind):>7.3f} {max(blind):>7.3f} {means[0]:>8.3f} {means[1]:>7.3f} {means[2]:>9.3f}"
        print(f"{family:12} {shown}")
        all_blind += blind
    print(f"\n{statistics.mean(all_blind):.3f}")


if __name__ == "__main__":
    main()
