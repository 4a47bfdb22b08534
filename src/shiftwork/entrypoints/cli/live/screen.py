"""Lines on a terminal that are drawn again in place."""

import shutil
from collections.abc import Callable, Sequence
from typing import Final, TextIO

from shiftwork.entrypoints.cli.live.cursor import HIDE_CURSOR, SHOW_CURSOR
from shiftwork.entrypoints.cli.render.sanitize import cut
from shiftwork.entrypoints.cli.terminal.style import COLORS, Line, Style, painted

_ERASED: Final = "\x1b[2K"
_UP: Final = "\x1b[1A"
_USUAL_SIZE: Final = (80, 25)


def terminal_size() -> tuple[int, int]:
    return shutil.get_terminal_size(_USUAL_SIZE)


class Screen:
    """The cursor is hidden from `start` to `stop`, and stays at the end of the last line."""

    def __init__(
        self, out: TextIO, *, colors: bool = True, size: Callable[[], tuple[int, int]] = terminal_size
    ) -> None:
        self.out: Final = out
        self._colors = colors
        self._size = size
        self._drawn = 0

    @property
    def width(self) -> int:
        return self._size()[0]

    @property
    def height(self) -> int:
        return self._size()[1]

    def start(self) -> None:
        self._write(HIDE_CURSOR.decode())

    def draw(self, lines: Sequence[Line]) -> None:
        """Replaces what was drawn before. What does not fit the screen is left out, because the terminal could not go
        back to lines that it has scrolled away or wrapped.
        """
        room = self.height
        self._replace(lines if len(lines) <= room else (*lines[: room - 1], Line("...")))

    def stop(self, lines: Sequence[Line]) -> None:
        """Draws all lines a last time; the next output starts below them."""
        self._replace(lines)
        self._write(f"\n{SHOW_CURSOR.decode()}")

    def _replace(self, lines: Sequence[Line]) -> None:
        back = f"\r{_ERASED}{(_UP + _ERASED) * (self._drawn - 1)}" if self._drawn else ""
        self._drawn = len(lines)
        room = self.width
        self._write(back + "\n".join(self._painted(cut(line.text, room), line.style) for line in lines))

    def _painted(self, text: str, style: Style) -> str:
        return text if style in COLORS and not self._colors else painted(Line(text, style))

    def _write(self, text: str) -> None:
        self.out.write(text)
        self.out.flush()
