"""The graph of stories: circles, what hangs on what, and how long the longest way is."""

from collections.abc import Iterable, Mapping

from shiftwork.domain.core.ids import StoryId

type Edges = Mapping[StoryId, tuple[StoryId, ...]]
"""Which stories each one leads to: what it depends on, or, turned round, what depends on it."""

type Weights = Mapping[StoryId, float]
"""How long each story is thought to take, in any unit."""


def find_cycle(edges: Edges) -> tuple[StoryId, ...]:
    """The stories of one cycle, each depending on the next and the last on the first; empty where there is none."""
    done: set[StoryId] = set()
    for start in edges:
        path: dict[StoryId, None] = {}  # in order of the way down, and quick to ask
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
    """The edges turned round: which stories depend on each one directly."""
    turned: dict[StoryId, dict[StoryId, None]] = {story: {} for story in edges}
    for story, needs in edges.items():
        for needed in needs:
            if needed in turned:
                turned[needed][story] = None
    return {story: tuple(needing) for story, needing in turned.items()}


def in_order(edges: Edges) -> tuple[StoryId, ...]:
    """The stories, each after all that it depends on; those on a circle or behind one are left out."""
    needing = dependents(edges)
    missing = {story: len({needed for needed in needs if needed in edges}) for story, needs in edges.items()}
    order = [story for story, count in missing.items() if not count]
    for story in order:  # grows while it is walked
        for other in needing[story]:
            missing[other] -= 1
            if not missing[other]:
                order.append(other)
    return tuple(order)


def reachable(edges: Edges, starts: Iterable[StoryId]) -> set[StoryId]:
    """All that the starts lead to, directly or not; a start itself only where another leads to it."""
    found: set[StoryId] = set()
    waiting = list(starts)
    while waiting:
        for other in edges.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def remaining(edges: Edges, weights: Weights) -> dict[StoryId, float]:
    """How long the longest way from the start of each story to the end of all is; stories on circles have none."""
    needing = dependents(edges)
    length: dict[StoryId, float] = {}
    for story in reversed(in_order(edges)):
        length[story] = weights[story] + max((length.get(other, 0.0) for other in needing[story]), default=0.0)
    return length


def critical_path(edges: Edges, weights: Weights) -> tuple[StoryId, ...]:
    """The stories of the longest way, first to last: however many slots there are, it takes no less than that."""
    length = remaining(edges, weights)
    needing = dependents(edges)
    path: list[StoryId] = []
    step = tuple(length)
    while step:
        path.append(max(step, key=lambda story: length[story]))
        step = tuple(other for other in needing[path[-1]] if other in length)
    return tuple(path)
