"""Shows a run on a terminal: a table that redraws in place, and the latest changes.

Everything an agent printed is sanitized and passed as text, never as markup.
"""

import sys
from collections.abc import Sequence
from typing import Final, Literal

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

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
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.sanitize import one_line
from shiftwork.ports.rows.row_parts import WaitCause

_STYLES: Final = {
    StepStatus.COMPLETED: "green",
    StepStatus.IN_PROGRESS: "bold",
    StepStatus.FAILED: "red",
    StepStatus.CANCELLED: "red",
    StepStatus.PENDING: "dim",
    StepStatus.SKIPPED: "dim",
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


class LiveView:
    """Draws the board; `title`, of one line or more, is above it."""

    def __init__(self, title: str, console: Console) -> None:
        self.board = Board()
        self._title = title
        self._console = console
        self._now = 0.0
        self._said = ""
        self._live = Live(console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
        self._cursor = HiddenCursor(sys.stdout.fileno()) if console.file is sys.stdout else None
        self._live.start()
        if self._cursor:
            self._cursor.begin()

    def see(self, sighting: Sighting) -> None:
        if change := self.board.see(sighting):
            self._now = max(self._now, change.at)

    def update(self, now: float) -> None:
        self._now = now
        self._live.update(self._drawn(), refresh=True)

    def say(self, text: str) -> None:
        self._said = text
        self._live.update(self._drawn(), refresh=True)

    def close(self) -> None:
        self._said = ""
        if self._cursor:
            self._cursor.end()
        self._live.update(self._drawn(), refresh=True)
        self._live.stop()

    def _drawn(self) -> RenderableType:
        room = self._console.width
        title, *rest = (one_line(part, room) for part in self._title.split("\n"))
        parts: list[RenderableType] = [Text(title, style="bold"), *(Text(part, style="dim") for part in rest), Text()]
        parts += self._stories(max(self._console.height - _AROUND, 1), room)
        parts += [Text(line(change, room), style=_tone(change)) for change in self.board.changes[-_RECENT:]]
        if self._said:
            parts.append(Text(one_line(self._said, room)))
        return Group(*parts)

    def _stories(self, rows: int, room: int) -> list[RenderableType]:
        """The steps of a single story, or a row for each of many stories."""
        board = self.board
        shown = [(story, _now_doing(board, at)) for at, story in board.stories.items()]
        if len(shown) > 1:
            return [stories_table(shown, self._now, rows, room), Text()]
        return [
            part
            for story, doing in shown
            for part in (_steps(story, self._now, rows), Text(), Text(one_line(doing, room)))
        ]


def _tone(change: Change) -> str:
    return "red" if change.event.endswith(("failed", "refused", "rejected", "held")) else "dim"


def _steps(story: StoryState, now: float, rows: int) -> Table:
    pipeline, waits = story.pipeline, story.asks is not None
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="dim")
    for heading, side, room in _COLUMNS:
        message = phrases.in_all(heading, (step.attempts for step in pipeline.steps)) if heading == "time" else heading
        table.add_column(message, justify=side, min_width=room, no_wrap=True)
    shown = window(pipeline.steps, rows)
    for step in shown:
        table.add_row(*(Text(cell, style=_STYLES[step.status]) for cell in _cells(step, now, waits=waits)))
    before = pipeline.steps.index(shown[0]) if shown else 0
    after = len(pipeline.steps) - len(shown) - before
    if left := ", ".join(f"{count} {where}" for count, where in ((before, "before"), (after, "after")) if count):
        table.add_row(Text(f"({left})", style="dim"))
    return table


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
