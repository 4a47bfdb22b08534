"""Previews a plan before it runs: the order of its stories, its critical path and its estimated cost."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run.spending.forecast import forecast
from shiftwork.domain.spec.graph import Edges, critical_path, in_order
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.spec.story_graph import graph_of
from shiftwork.domain.tampering.exemptions import opened
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.usage.forecast import Band
from shiftwork.planning.remarks import Remark, remarks
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What the user sees before a run spends anything. `waves` groups the stories by how many others must land before
    each can start; no story waits for a whole wave. `band` is None if no costs are known. `opened` has, by story, the
    patterns of tests and gate configuration that the story may change. An `ordered` plan is worked on one story after
    the other.
    """

    spec: Spec
    waves: tuple[tuple[StoryId, ...], ...]
    critical: tuple[StoryId, ...]
    remarks: tuple[Remark, ...]
    band: Band | None
    opened: Mapping[StoryId, tuple[str, ...]]
    ordered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StartOrder:
    """`stories` are those that are not done, the first to start first; `stating` says how many of them state what they
    depend on, `free` how many have nothing to wait for, and `at_once` how many of these start at first. If the run is
    `planned`, its own steps may plan other stories.
    """

    ordered: bool
    planned: bool
    stories: tuple[StoryId, ...]
    stating: int
    free: int
    at_once: int


_USUAL: Final = Protection()


def preview(spec: Spec, costs: Sequence[float], protection: Protection = _USUAL, *, ordered: bool = False) -> Preview:
    """`costs` are the costs in USD of earlier stories of this repository. The stories of an
    `ordered` plan state no dependencies.
    """
    edges = _edges(spec.stories, ordered=ordered)
    weights = {story.id: float(story.complexity) for story in spec.stories}
    estimate = forecast(spec.stories, costs)
    return Preview(
        spec=spec,
        waves=_waves(edges),
        critical=critical_path(edges, weights),
        remarks=remarks(spec.stories, ordered=ordered),
        band=estimate.whole if estimate else None,
        opened=opened(spec, protection),
        ordered=ordered,
    )


def _edges(stories: Sequence[Story], *, ordered: bool) -> Edges:
    """The stories that each story starts after."""
    if not ordered:
        return {story.id: story.depends_on for story in stories}
    rank = graph_of(stories, (), ordered=True).rank
    order = sorted(rank, key=rank.__getitem__)
    return {story: tuple(order[max(number - 1, 0) : number]) for number, story in enumerate(order)}


def _waves(edges: Edges) -> tuple[tuple[StoryId, ...], ...]:
    depth: dict[StoryId, int] = {}
    for story in in_order(edges):
        depth[story] = max((depth[needed] + 1 for needed in edges[story]), default=0)
    ordered = sorted(depth, key=lambda story: depth[story])  # stable: within a wave, the order of the spec
    return tuple(tuple(wave) for _, wave in groupby(ordered, key=lambda story: depth[story]))
