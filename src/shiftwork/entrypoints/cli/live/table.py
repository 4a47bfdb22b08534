"""Shows a run on a terminal: its stories, which are drawn again in place, and the latest changes.

Everything an agent printed is sanitized.
"""

import sys
from collections.abc import Sequence
from typing import Final

from shiftwork.app.runtime.context import Sighting
from shiftwork.app.views.live.board import Board, Change
from shiftwork.app.views.live.live_rows import LiveRows
from shiftwork.app.views.overview import overview
from shiftwork.entrypoints.cli.live.cursor import HiddenCursor
from shiftwork.entrypoints.cli.live.doing import doing
from shiftwork.entrypoints.cli.live.progress_lines import lines
from shiftwork.entrypoints.cli.live.screen import Screen
from shiftwork.entrypoints.cli.live.step_lines import step_lines
from shiftwork.entrypoints.cli.live.story_lines import Sheet, header, needs_you, stories
from shiftwork.entrypoints.cli.render.sanitize import one_line
from shiftwork.entrypoints.cli.terminal.style import Line, Style

_WRAPPED: Final = 4
"""On how many lines a change may be."""

_LOG: Final = 3
"""How many of the last changes are shown at least."""


class LiveView:
    """Draws the run that this process works on; `title`, of one line or more, is shown until the run has started."""

    def __init__(self, title: str, screen: Screen) -> None:
        self.board = Board()
        self._rows = LiveRows()
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
        self._rows.catch_up(self.board)

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
        """The header, what needs the user, the stories, and the log in the room that is left."""
        room, height = self._screen.width, self._screen.height
        self._rows.catch_up(self.board)
        view = self._rows.view(meant=self.board.meant)
        said = [Line(one_line(self._said, room))] if self._said else []
        drawn = self._titled(room)
        if view:
            glance = overview(view, self._now)
            sheet = Sheet(view=view, glance=glance, doing=self._doing(), now=self._now, room=room)
            drawn = run_lines(sheet, height - _LOG - 1 - len(said))
        left = max(height - len(drawn) - 2 - len(said), _LOG)  # the shell's prompt and a line between
        log = log_lines(self.board.changes[-left:], room, left)
        return [*drawn, *([Line()] if log else []), *log, *said]

    def _titled(self, room: int) -> list[Line]:
        title, *rest = (one_line(part, room) for part in self._title.split("\n"))
        return [Line(title, Style.BOLD), *(Line(part, Style.DIM) for part in rest)]

    def _doing(self) -> dict[str, str]:
        found = ((story.given.story.id, doing(self.board, at)) for at, story in self.board.stories.items())
        return {story: text for story, text in found if text}


def log_lines(changes: Sequence[Change], room: int, height: int) -> list[Line]:
    """The last changes, each on as many lines as its text needs: the point of a long one is often at its end."""
    log: list[Line] = []
    for change in reversed(changes):
        text = [Line(part, _tone(change)) for part in lines(change, room, most=_WRAPPED)]
        if log and len(log) + len(text) > height:
            break
        log = [*text, *log]
    return log[-height:]


def run_lines(sheet: Sheet, height: int) -> list[Line]:
    """The header, what needs the user, and the stories; or the steps of the only story, and what happens in it."""
    head = [header(sheet), Line(), *needs_you(sheet)]
    rows = max(height - len(head), 1)
    if len(sheet.view.stories) != 1:
        return [*head, *stories(sheet, rows)]
    [story] = sheet.view.stories
    text = "".join(sheet.doing.values())
    below = [Line(), Line(one_line(text, sheet.room))] if text else []
    return [*head, *step_lines(sheet.view, story, sheet.now, rows - len(below), sheet.room), *below]


def _tone(change: Change) -> Style:
    return Style.RED if change.event.endswith(("failed", "refused", "rejected", "held")) else Style.DIM
