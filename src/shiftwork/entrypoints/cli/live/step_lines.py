"""The steps of a run's only story on a terminal."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from shiftwork.app.views.amounts import brief_cost, duration, usage_of
from shiftwork.app.views.run_views import RunView, StoryView
from shiftwork.domain.workflow.pipeline import FINISHED, StepStatus
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line
from shiftwork.entrypoints.cli.terminal.style import Line, Style
from shiftwork.ports.views import StepRow

_STYLES: Final = {
    StepStatus.COMPLETED: Style.GREEN,
    StepStatus.IN_PROGRESS: Style.BLUE,
    StepStatus.FAILED: Style.RED,
    StepStatus.CANCELLED: Style.RED,
    StepStatus.PENDING: Style.DIM,
    StepStatus.SKIPPED: Style.DIM,
}
_MARKS: Final = {
    StepStatus.COMPLETED: "✓",
    StepStatus.IN_PROGRESS: "●",
    StepStatus.FAILED: "✗",
    StepStatus.CANCELLED: "✗",
    StepStatus.PENDING: "○",
    StepStatus.SKIPPED: "-",
}
_COLUMNS: Final[tuple[tuple[str, Literal["left", "right"], int], ...]] = (
    ("  step", "left", 20),
    ("state", "left", 9),
    ("try", "right", 3),
    ("time", "right", 11),
    ("cost", "right", 10),
)
"""Wide enough for usual values, so that nothing moves."""

_BETWEEN: Final = "  "


def step_lines(run: RunView, view: StoryView, now: float, rows: int, room: int) -> Iterator[Line]:
    """The steps around the current one, as many as there is room for."""
    at_hand = next_steps.of_story(run, view)
    time = phrases.in_all("time", (step.attempts for step in view.steps))
    heading = tuple(time if name == "time" else name for name, _, _ in _COLUMNS)
    shown = window(view.steps, max(rows - 2, 1))
    cells_of = [_cells(step, now, at_hand) for step in shown]
    widths = _widths([heading, *cells_of], room)
    yield Line(_row(heading, widths), Style.DIM)
    for step, row in zip(shown, cells_of, strict=True):
        yield Line(_row(row, widths), _STYLES[StepStatus(step.status)])
    before = view.steps.index(shown[0]) if shown else 0
    after = len(view.steps) - len(shown) - before
    if left := ", ".join(f"{count} {where}" for count, where in ((before, "before"), (after, "after")) if count):
        yield Line(f"({left})", Style.DIM)


def _widths(rows: Sequence[tuple[str, ...]], room: int) -> list[int]:
    """The widths of the columns; the last ones are dropped if there is no room for them."""
    widths = [max(least, *(cells(row[place]) for row in rows)) for place, (_, _, least) in enumerate(_COLUMNS)]
    while len(widths) > 1 and sum(widths) + len(_BETWEEN) * (len(widths) - 1) > room:
        widths.pop()
    return [min(wide, room) for wide in widths]


def _row(row: tuple[str, ...], widths: Sequence[int]) -> str:
    return _BETWEEN.join(
        text.rjust(wide) if side == "right" else text + " " * (wide - cells(text))
        for text, wide, (_, side, _) in zip(row, widths, _COLUMNS, strict=False)
    )


def _cells(step: StepRow, now: float, at_hand: str) -> tuple[str, ...]:
    """The current step has its story's state."""
    spent, working = step.seconds, step.status == "in_progress"
    if working:
        spent = (spent or 0.0) + (phrases.between(step.started_at, now) or 0.0)
    return (
        f"{_MARKS[StepStatus(step.status)]} {one_line(step.name, 24)}",
        at_hand if working else phrases.state(step.status),
        str(step.attempts or "-"),
        duration(spent),
        brief_cost(usage_of(step)),
    )


def window(steps: Sequence[StepRow], rows: int) -> Sequence[StepRow]:
    """As many steps as fit, around the first unfinished one."""
    if len(steps) <= rows:
        return steps
    current = next((place for place, step in enumerate(steps) if StepStatus(step.status) not in FINISHED), len(steps))
    first = min(max(current - rows // 2, 0), len(steps) - rows)
    return steps[first : first + rows]
