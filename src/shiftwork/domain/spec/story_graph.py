"""The stories of a spec as a graph that is ready for scheduling: their places, their ranks and what depends on them."""

from collections.abc import Mapping, Sequence

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec import graph as g
from shiftwork.domain.spec.spec import Story
from shiftwork.records import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Derived from the stories and their dependencies only; computed again only if these change.

    `position` is a story's place in the spec, `depth` its place in an order with dependencies first (a story in or
    behind a cycle has none), `rank` its place among those that could start: in an ordered run, its place in the order.
    The last field lists a cycle, if any.
    """

    position: Mapping[StoryId, int] = field(default_factory=dict)
    depth: Mapping[StoryId, int] = field(default_factory=dict)
    rank: Mapping[StoryId, int] = field(default_factory=dict)
    dependents: Mapping[StoryId, tuple[StoryId, ...]] = field(default_factory=dict)
    cycle: tuple[StoryId, ...] = ()


def graph_of(asked: Sequence[Story], first: Sequence[StoryId], *, ordered: bool = False) -> Graph:
    """Ranks the stories: those that people put `first`, in their order; then by critical path, because it limits how
    soon all can be done; then by priority; then in the order of the spec. The critical path does not matter in an
    `ordered` run.
    """
    stories = {story.id: story for story in asked}
    place = {story: number for number, story in enumerate(first)}
    edges = {story.id: story.depends_on for story in stories.values()}
    order = g.in_order(edges)
    length = g.remaining(edges, {story.id: story.complexity for story in stories.values()})
    sooner = {} if ordered else length
    starting = sorted(
        stories.values(),
        key=lambda story: (place.get(story.id, len(place)), -sooner.get(story.id, 0.0), story.priority),
    )
    rank = {story.id: number for number, story in enumerate(starting)}
    if ordered:
        rank = {story: number for number, story in enumerate(g.one_by_one(edges, rank))}
    return Graph(
        position={story.id: number for number, story in enumerate(asked)},
        depth={story: number for number, story in enumerate(order)},
        rank=rank,
        dependents=g.dependents(edges),
        cycle=g.find_cycle(edges) if len(order) < len(stories) else (),
    )
