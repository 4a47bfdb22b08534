"""The graph of stories: cycles, dependencies and the critical path."""

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush

from shiftwork.domain.core.ids import StoryId

type Edges = Mapping[StoryId, tuple[StoryId, ...]]
"""The stories that each story points to: its dependencies, or, reversed, its dependents."""

type Weights = Mapping[StoryId, float]
"""How long each story is estimated to take, in any unit."""


def find_cycle(edges: Edges) -> tuple[StoryId, ...]:
    """The stories of a cycle, each depending on the next and the last on the first; empty where there is no cycle."""
    done: set[StoryId] = set()
    for start in edges:
        path: dict[StoryId, None] = {}  # in the order visited, with fast lookup
        ways = [iter((start,))]
        while ways:
            story = next(ways[-1], None)
            if story is None:
                ways.pop()
                if path:
                    done.add(path.popitem()[0])
            elif story in path:
                way = list(path)
                return tuple(way[way.index(story) :])
            elif story not in done:
                path[story] = None
                ways.append(iter(edges.get(story, ())))
    return ()


def dependents(edges: Edges) -> dict[StoryId, tuple[StoryId, ...]]:
    """The reversed edges: which stories depend directly on each story."""
    turned: dict[StoryId, dict[StoryId, None]] = {story: {} for story in edges}
    for story, needs in edges.items():
        for needed in needs:
            if needed in turned:
                turned[needed][story] = None
    return {story: tuple(needing) for story, needing in turned.items()}


def in_order(edges: Edges) -> tuple[StoryId, ...]:
    """The stories, each after all its dependencies; stories on a cycle or behind it are left out."""
    needing = dependents(edges)
    missing = {story: len({needed for needed in needs if needed in edges}) for story, needs in edges.items()}
    order = [story for story, count in missing.items() if not count]
    for story in order:  # grows during iteration
        for other in needing[story]:
            missing[other] -= 1
            if not missing[other]:
                order.append(other)
    return tuple(order)


def one_by_one(edges: Edges, ranks: Mapping[StoryId, int]) -> tuple[StoryId, ...]:
    """The stories by their ranks, but each after all its dependencies; stories on a cycle or behind it come last."""
    needing = dependents(edges)
    missing = {story: len({needed for needed in needs if needed in edges}) for story, needs in edges.items()}
    free = [(ranks[story], story) for story, count in missing.items() if not count]
    heapify(free)
    order: dict[StoryId, None] = {}
    while free:
        _, story = heappop(free)
        order[story] = None
        for other in needing[story]:
            missing[other] -= 1
            if not missing[other]:
                heappush(free, (ranks[other], other))
    return (*order, *(story for story in edges if story not in order))


def reachable(edges: Edges, starts: Iterable[StoryId]) -> set[StoryId]:
    """All stories that the starts lead to, directly or not; a start itself only where another leads to it."""
    found: set[StoryId] = set()
    waiting = list(starts)
    while waiting:
        for other in edges.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def remaining(edges: Edges, weights: Weights) -> dict[StoryId, float]:
    """The length of the critical path from the start of each story to the end of all; stories on cycles have none."""
    needing = dependents(edges)
    length: dict[StoryId, float] = {}
    for story in reversed(in_order(edges)):
        length[story] = weights[story] + max((length.get(other, 0.0) for other in needing[story]), default=0.0)
    return length


def critical_path(edges: Edges, weights: Weights) -> tuple[StoryId, ...]:
    """The stories of the critical path, first to last: with any number of slots, the run takes at least that long."""
    length = remaining(edges, weights)
    needing = dependents(edges)
    path: list[StoryId] = []
    step = tuple(length)
    while step:
        path.append(max(step, key=lambda story: length[story]))
        step = tuple(other for other in needing[path[-1]] if other in length)
    return tuple(path)
