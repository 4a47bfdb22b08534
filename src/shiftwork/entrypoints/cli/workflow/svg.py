"""A workflow drawn as SVG: steps from top to bottom, routes back on the left, jumps ahead on the right."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Final

from shiftwork.domain.workflow.workflow import StepKind, StepPlan, Workflow
from shiftwork.entrypoints.cli.render.sanitize import one_line
from shiftwork.entrypoints.cli.workflow.ascii import step_summary
from shiftwork.records import dataclass

_WIDE: Final = 220
_HIGH: Final = 48
_GAP: Final = 34
_LEFT: Final = 340
_RIGHT: Final = 260
_LANE: Final = 42
_LANES: Final = 7
_PAD: Final = 22
_FILLS: Final = {StepKind.AGENT: "#eef4ff", StepKind.GATE: "#eefaf0", StepKind.APPROVAL: "#fff6e5"}
_STYLE: Final = (
    "text{font:13px system-ui,sans-serif;fill:#1c2430}.small{font-size:11px;fill:#57606e}"
    ".way{paint-order:stroke;stroke:#fff;stroke-width:5px}"
    "rect{stroke:#7b8794}.loop{fill:none;stroke-dasharray:6 4}path{fill:none;stroke:#57606e;stroke-width:1.5}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Box:
    """A step and where its top is; a loop reaches down to `bottom`."""

    step: StepPlan
    top: int
    bottom: int

    @property
    def middle(self) -> int:
        return self.top + (_HIGH // 2 if self.step.kind is not StepKind.LOOP else 0)


def svg(workflow: Workflow) -> str:
    boxes, bottom = _laid(workflow.steps, 20)
    every = [box for box, _ in boxes]
    wide = _LEFT + _WIDE + _RIGHT
    body = [
        *(line for box in every for line in _shape(box)),
        *_arrows(boxes),
        *_ways(boxes),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{bottom + 10}" '
        f'viewBox="0 0 {wide} {bottom + 10}" role="img">'
        f"<title>{escape(workflow.name or workflow.id)}</title><style>{_STYLE}</style>"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z" style="fill:#57606e;stroke:none"/></marker></defs>'
        f'<rect width="{wide}" height="{bottom + 10}" style="fill:#fff;stroke:none"/>{"".join(body)}</svg>\n'
    )


def _laid(steps: Sequence[StepPlan], top: int, level: str = "") -> tuple[list[tuple[_Box, str]], int]:
    """Every box with its pipeline, and where the last one ends."""
    laid: list[tuple[_Box, str]] = []
    for step in steps:
        if step.kind is StepKind.LOOP:
            inner, end = _laid(step.body, top + _PAD + 12, f"{level}/{step.name}")
            laid.append((_Box(step=step, top=top, bottom=end - _GAP + _PAD), level))
            laid += inner
            top = end - _GAP + _PAD + _GAP
        else:
            laid.append((_Box(step=step, top=top, bottom=top + _HIGH), level))
            top += _HIGH + _GAP
    return laid, top


def _shape(box: _Box) -> Iterator[str]:
    name = escape(one_line(box.step.name, 30))
    if box.step.kind is StepKind.LOOP:
        yield (
            f'<rect class="loop" x="{_LEFT - _PAD}" y="{box.top}" width="{_WIDE + 2 * _PAD}" '
            f'height="{box.bottom - box.top}" rx="10"/>'
            f'<text class="small" x="{_LEFT - _PAD + 10}" y="{box.top + 18}">{name} ⟳ for each story</text>'
        )
        return
    fill = _FILLS[box.step.kind]
    yield (
        f'<rect x="{_LEFT}" y="{box.top}" width="{_WIDE}" height="{_HIGH}" rx="8" style="fill:{fill}"/>'
        f'<text x="{_LEFT + 12}" y="{box.top + 20}">{name}</text>'
        f'<text class="small" x="{_LEFT + 12}" y="{box.top + 37}">{escape(one_line(step_summary(box.step), 32))}</text>'
    )


def _arrows(boxes: Sequence[tuple[_Box, str]]) -> Iterator[str]:
    """From each step to the next of its own pipeline."""
    middle = _LEFT + _WIDE // 2
    for level in dict.fromkeys(level for _, level in boxes):
        own = [box for box, at in boxes if at == level]
        for before, after in pairwise(own):
            yield f'<path d="M{middle} {before.bottom}V{after.top}" marker-end="url(#tip)"/>'


def _ways(boxes: Sequence[tuple[_Box, str]]) -> Iterator[str]:
    """Routes that leave the order, each in its own lane, so that no two overlap; inner ones first."""
    places = {(level, box.step.name): box for box, level in boxes}
    lanes = {True: 0, False: 0}
    for box, level in sorted(boxes, key=lambda item: item[1].count("/"), reverse=True):
        for route in box.step.routes:
            target = places.get((level, route.target))
            if target is not None:
                lanes[route.back] += 1
                yield _way(box, target, route.value, lanes[route.back] if route.back else -lanes[route.back])


def _way(box: _Box, target: _Box, value: str, lane: int) -> str:
    """A positive lane is on the left, a negative lane on the right; beyond the last they share one."""
    lane = max(-_LANES, min(lane, _LANES))
    padding = _PAD if target.step.kind is StepKind.LOOP else 0
    start = box.top + _HIGH // 2 + 4 * (abs(lane) % 4) - 6
    end = target.middle + (10 if padding else 0)
    if lane > 0:
        near, goal, out = _LEFT, _LEFT - padding, _LEFT - _PAD - lane * _LANE
        anchor, at = "end", out - 5
    else:
        near, goal, out = _LEFT + _WIDE, _LEFT + _WIDE + padding, _LEFT + _WIDE + _PAD - lane * _LANE
        anchor, at = "start", out + 5
    label = escape(one_line(value, 24))
    return (
        f'<path d="M{near} {start}H{out}V{end}H{goal}" marker-end="url(#tip)"/>'
        f'<text class="small way" x="{at}" y="{(start + end) // 2}" text-anchor="{anchor}">{label}</text>'
    )
