"""Shows a run on a terminal: a table that redraws in place, and the latest changes.

Everything an agent printed is sanitized.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from shiftwork.app.runtime.context import GateBegun, Sighting
from shiftwork.app.views.amounts import brief_cost
from shiftwork.app.views.board import Board, Change
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.story.state import LandingStage, StoryState
from shiftwork.domain.workflow.pipeline import FINISHED, Step, StepStatus
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.entrypoints.cli.live.cursor import HiddenCursor
from shiftwork.entrypoints.cli.live.many_stories import stories_table
from shiftwork.entrypoints.cli.live.progress_lines import line
from shiftwork.entrypoints.cli.live.screen import Line, Screen, Style
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line
from shiftwork.ports.rows.row_parts import WaitCause

_STYLES: Final = {
    StepStatus.COMPLETED: Style.GREEN,
    StepStatus.IN_PROGRESS: Style.BOLD,
    StepStatus.FAILED: Style.RED,
    StepStatus.CANCELLED: Style.RED,
    StepStatus.PENDING: Style.DIM,
    StepStatus.SKIPPED: Style.DIM,
}
_RECENT: Final = 3
"""How many of the last changes are shown."""

_AROUND: Final = 10 + _RECENT
"""Screen lines that are not steps: title, headings, current activity, the latest changes, the shell's prompt."""

_COLUMNS: Final[tuple[tuple[str, Literal["left", "right"], int], ...]] = (
    ("step", "left", 18),
    ("state", "left", 9),
    ("try", "right", 3),
    ("time", "right", 11),
    ("cost", "right", 10),
)
"""Wide enough for usual values, so that nothing moves."""

_BETWEEN: Final = "  "


class LiveView:
    """Draws the board; `title`, of one line or more, is above it."""

    def __init__(self, title: str, screen: Screen) -> None:
        self.board = Board()
        self._title = title
        self._screen = screen
        self._now = 0.0
        self._said = ""
        self._cursor = HiddenCursor(sys.stdout.fileno()) if screen.out is sys.stdout else None
        self._screen.start()
        if self._cursor:
            self._cursor.begin()

    def see(self, sighting: Sighting) -> None:
        if change := self.board.see(sighting):
            self._now = max(self._now, change.at)

    def update(self, now: float) -> None:
        self._now = now
        self._screen.draw(self._drawn())

    def say(self, text: str) -> None:
        self._said = text
        self._screen.draw(self._drawn())

    def close(self) -> None:
        self._said = ""
        if self._cursor:
            self._cursor.end()
        self._screen.stop(self._drawn())

    def _drawn(self) -> list[Line]:
        room = self._screen.width
        title, *rest = (one_line(part, room) for part in self._title.split("\n"))
        lines = [Line(title, Style.BOLD), *(Line(part, Style.DIM) for part in rest), Line()]
        lines += self._stories(max(self._screen.height - _AROUND, 1), room)
        lines += [Line(line(change, room), _tone(change)) for change in self.board.changes[-_RECENT:]]
        if self._said:
            lines.append(Line(one_line(self._said, room)))
        return lines

    def _stories(self, rows: int, room: int) -> list[Line]:
        """The steps of a single story, or a row for each of many stories."""
        board = self.board
        shown = [(story, _now_doing(board, at)) for at, story in board.stories.items()]
        if len(shown) > 1:
            return [*stories_table(shown, self._now, rows, room), Line()]
        return [
            part
            for story, doing in shown
            for part in (*_steps(story, self._now, rows, room), Line(), Line(one_line(doing, room)))
        ]


def _tone(change: Change) -> Style:
    return Style.RED if change.event.endswith(("failed", "refused", "rejected", "held")) else Style.DIM


def _steps(story: StoryState, now: float, rows: int, room: int) -> Iterator[Line]:
    pipeline, waits = story.pipeline, story.asks is not None
    time = phrases.in_all("time", (step.attempts for step in pipeline.steps))
    heading = tuple(time if name == "time" else name for name, _, _ in _COLUMNS)
    shown = window(pipeline.steps, rows)
    cells_of = [_cells(step, now, waits=waits) for step in shown]
    widths = _widths([heading, *cells_of], room)
    yield Line(_row(heading, widths), Style.DIM)
    for step, row in zip(shown, cells_of, strict=True):
        yield Line(_row(row, widths), _STYLES[step.status])
    before = pipeline.steps.index(shown[0]) if shown else 0
    after = len(pipeline.steps) - len(shown) - before
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
        text.rjust(wide) if side == "right" else phrases.padded(text, wide)
        for text, wide, (_, side, _) in zip(row, widths, _COLUMNS, strict=False)
    )


def _cells(step: Step, now: float, *, waits: bool) -> tuple[str, ...]:
    spent = step.seconds
    if step.status is StepStatus.IN_PROGRESS:
        spent = (spent or 0.0) + (phrases.between(step.started_at, now) or 0.0)
    state = phrases.state(step.status, waits=waits)
    return (
        one_line(step.plan.name, 24),
        state,
        str(step.attempts or "-"),
        phrases.duration(spent),
        brief_cost(step.usage),
    )


def window[T: Step](steps: Sequence[T], rows: int) -> Sequence[T]:
    """As many steps as fit, around the first unfinished one."""
    if len(steps) <= rows:
        return steps
    current = next((place for place, step in enumerate(steps) if step.status not in FINISHED), len(steps))
    first = min(max(current - rows // 2, 0), len(steps) - rows)
    return steps[first : first + rows]


def _now_doing(board: Board, at: Stream) -> str:
    story = board.stories[at]
    if hold := story.asks:
        run = story.given.run
        named = phrases.naming(run, meant=board.meant)
        reply = phrases.reply_to(run, story.given.story.id, WaitCause(hold.cause), hold.reached, named)
        return f"needs you [{reply}]: {hold.cause}: {hold.detail}"
    if wait := story.rate_limit.wait:
        return f"waits until {phrases.o_clock(wait.until)} for a limit to reset: {wait.reason}"
    if story.control.paused:
        on_its_way = story.landing.progress is LandingStage.REQUESTED
        resume = f"shiftwork resume {story.given.run}"
        return "leaves the landing queue, then pauses" if on_its_way else f"paused: {resume} continues"
    if event := board.doing.get(at):
        return f"agent: {' '.join(filter(None, (event.tool, event.text)))}"
    if story.landing.progress is LandingStage.REQUESTED:
        return phrases.landing((step.ended_at for step in story.pipeline.steps), _gate(board.gates.get(at)))
    return _step_ahead(story)


def _gate(begun: GateBegun | None) -> str:
    if begun is None:
        return ""
    return f"gate {begun.gate}{f' {begun.where}' if begun.where else ''} running since {phrases.o_clock(begun.at)}"


def _step_ahead(story: StoryState) -> str:
    step = story.pipeline.current
    if step is None or story.ended_at:
        return ""
    return (
        "continues when no story is left"
        if step.plan.kind is StepKind.LOOP
        else f"{step.plan.name}: {step.plan.description}"
    )
