"""How long a run takes compared with the lower bound for any order: max(critical path, work / slots).

Runs the product's own decide and evolve in a simulation in which time is a number: a story takes its duration, which
the scheduler does not know. Random graphs of 100 stories, 8 slots, several families of graphs. Columns, each the mean
over the graphs of a family:

  blind      no story has a complexity: the last line is the mean of these
  guessed    complexities from 1 to 5 that explain about half of the duration
  exact      complexities that equal the durations
  barriers   the same graphs in stages: a stage starts when all of the previous stage has landed
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
"""The spread of the logarithm of durations around their complexity: most are within a factor of two, some far
outside.
"""

type Needs = list[list[int]]
"""The dependencies of each story, by number; always earlier stories."""


def independent(_: random.Random) -> Needs:
    return [[] for _ in range(STORIES)]


def scattered(chance: random.Random) -> Needs:
    """Each depends on up to three of all the earlier stories."""
    return [chance.sample(range(number), min(number, chance.choice((0, 1, 1, 2, 3)))) for number in range(STORIES)]


def layered(chance: random.Random) -> Needs:
    """Ten layers; each story depends on one to three stories of the layer before."""
    return [
        chance.sample(range(number - number % 10 - 10, number - number % 10), chance.randint(1, 3))
        if number > 9
        else []
        for number in range(STORIES)
    ]


def chained(chance: random.Random) -> Needs:
    """Twelve chains of different lengths, with some links between them."""
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
    """A tree: each depends on one of the twelve before it."""
    return [[chance.randrange(max(0, number - 12), number)] if number else [] for number in range(STORIES)]


def joining(chance: random.Random) -> Needs:
    """Forks and joins: a hub, five to fifteen parallel stories, a hub that needs them all, and so on."""
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
    """A graph, the durations of its stories and their apparent complexity."""

    edges: dict[StoryId, tuple[StoryId, ...]]
    durations: dict[StoryId, float]
    complexity: dict[StoryId, int]

    @property
    def bound(self) -> float:
        """The lower bound for any order."""
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


def planned(context: Case, complexity: dict[StoryId, int]) -> RunPlan:
    stories = tuple(
        Story(id=name, title=name, description="", depends_on=needs, complexity=complexity.get(name, 3))
        for name, needs in context.edges.items()
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


def makespan(context: Case, complexity: dict[StoryId, int]) -> float:
    """When the run ends, if only its stories take time."""
    run = evolve_run(RunState(), run_facts.RunStarted(at=0, plan=planned(context, complexity)))
    now, in_progress = 0.0, list[tuple[float, StoryId]]()
    while run.status not in RUN_ENDED:
        for effect in decide_run(run):
            match effect:
                case run_effects.DispatchStory(assignment=given):
                    heapq.heappush(in_progress, (now + context.durations[given.story.id], given.story.id))
                    run = evolve_run(run, run_facts.StoryDispatched(at=now, story=given.story.id, slot=given.slot))
                case e.Conclude(facts=(ended,)):
                    run = evolve_run(run, ended)
                case _:
                    now, story = heapq.heappop(in_progress)
                    run = evolve_run(run, landed(now, story))
    assert run.status is RunStatus.COMPLETED
    return now


def landed(at: float, story: StoryId) -> run_facts.StoryEnded:
    commit, status = Commit(f"of {story}"), StoryStatus.COMPLETED
    return run_facts.StoryEnded(
        at=at, story=story, status=status, commit=commit, reason="", cause=None, usage=NOTHING_USED
    )


def with_barriers(context: Case) -> float:
    """Stage by stage, with the same slots, longest first: the best that barriers allow."""
    stage: dict[StoryId, int] = {}
    for story in in_order(context.edges):
        stage[story] = 1 + max((stage[needed] for needed in context.edges[story]), default=0)
    return sum(
        packed([context.durations[story] for story, its in stage.items() if its == number])
        for number in range(1, max(stage.values()) + 1)
    )


def packed(durations: list[float]) -> float:
    slots = [0.0] * SLOTS
    for duration in sorted(durations, reverse=True):
        heapq.heapreplace(slots, slots[0] + duration)
    return max(slots)


def main() -> None:
    print(f"{STORIES} stories, {SLOTS} slots, {GRAPHS} graphs a family; makespan / max(critical path, work / slots)\n")
    print(f"{'family':12} {'blind':>7} {'worst':>7} {'guessed':>8} {'exact':>7} {'barriers':>9}")
    all_blind: list[float] = []
    for family in FAMILIES:
        cases = [case(family, seed) for seed in range(GRAPHS)]
        blind = [makespan(item, {}) / item.bound for item in cases]
        guessed = [makespan(item, item.complexity) / item.bound for item in cases]
        lines = [
            makespan(item, {name: round(it) for name, it in item.durations.items()}) / item.bound for item in cases
        ]
        barriers = [with_barriers(item) / item.bound for item in cases]
        means = [statistics.mean(column) for column in (guessed, lines, barriers)]
        shown = f"{statistics.mean(blind):>7.3f} {max(blind):>7.3f} {means[0]:>8.3f} {means[1]:>7.3f} {means[2]:>9.3f}"
        print(f"{family:12} {shown}")
        all_blind += blind
    print(f"\n{statistics.mean(all_blind):.3f}")


if __name__ == "__main__":
    main()
