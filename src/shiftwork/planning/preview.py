"""A plan before it is run: who waits for whom, the longest way through it, and what it may cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run.spending.forecast import forecast
from shiftwork.domain.spec.graph import critical_path, in_order
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.tampering.exemptions import opened
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.usage.forecast import Band
from shiftwork.planning.remarks import Remark, remarks


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What is shown before anything is spent. `waves` are the stories by how many others must land before each could
    start; no story waits for a whole wave. `band` is None where nothing is known of costs. `opened` are the patterns
    of tests and gate configuration that a story may change, by story.
    """

    spec: Spec
    waves: tuple[tuple[StoryId, ...], ...]
    critical: tuple[StoryId, ...]
    remarks: tuple[Remark, ...]
    band: Band | None
    opened: Mapping[StoryId, tuple[str, ...]]


_USUAL: Final = Protection()


def preview(spec: Spec, costs: Sequence[float], protection: Protection = _USUAL) -> Preview:
    """`costs` are what stories of this repository have cost in USD."""
    edges = {story.id: story.depends_on for story in spec.stories}
    weights = {story.id: float(story.complexity) for story in spec.stories}
    foreseen = forecast(spec.stories, costs)
    return Preview(
        spec=spec,
        waves=_waves(spec.stories),
        critical=critical_path(edges, weights),
        remarks=remarks(spec.stories),
        band=foreseen.whole if foreseen else None,
        opened=opened(spec, protection),
    )


def _waves(stories: Sequence[Story]) -> tuple[tuple[StoryId, ...], ...]:
    edges = {story.id: story.depends_on for story in stories}
    depth: dict[StoryId, int] = {}
    for story in in_order(edges):
        depth[story] = max((depth[needed] + 1 for needed in edges[story]), default=0)
    ordered = sorted(depth, key=lambda story: depth[story])  # stable: within a wave, the order of the spec
    return tuple(tuple(wave) for _, wave in groupby(ordered, key=lambda story: depth[story]))
