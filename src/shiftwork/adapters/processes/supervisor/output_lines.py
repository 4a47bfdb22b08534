"""Splits a stream into lines, and keeps the end of a stream, without ever holding more than a limit."""

from collections.abc import Callable
from typing import Final

LINE_BYTES: Final = 4 * 1024 * 1024
TAIL_BYTES: Final = 64 * 1024


class Lines:
    """Passes each line on without its line end; of a line over the limit only the start, once."""

    def __init__(self, on_line: Callable[[bytes], None], limit: int = LINE_BYTES) -> None:
        self._on_line = on_line
        self._limit = limit
        self._held = bytearray()
        self._dropping = False

    def feed(self, chunk: bytes) -> None:
        first, *more = chunk.split(b"\n")
        self._take(first)
        for part in more:
            self._hand_on()
            self._dropping = False
            self._take(part)

    def end(self) -> None:
        """Passes on the last line of the stream, which may have no line end."""
        if self._held:
            self._hand_on()

    def _take(self, part: bytes) -> None:
        if self._dropping:
            return
        self._held += part[: self._limit + 1 - len(self._held)]
        if len(self._held) > self._limit:
            del self._held[self._limit :]
            self._hand_on()
            self._dropping = True

    def _hand_on(self) -> None:
        if not self._dropping:
            line = bytes(self._held)
            self._held.clear()
            self._on_line(line)


class Tail:
    """The last bytes of a stream, as text."""

    def __init__(self, limit: int = TAIL_BYTES) -> None:
        self._limit = limit
        self._held = bytearray()

    def feed(self, chunk: bytes) -> None:
        self._held += chunk[-self._limit :]
        if len(self._held) > 2 * self._limit:
            del self._held[: -self._limit]

    def text(self) -> str:
        return self._held[-self._limit :].decode(errors="replace")
