"""The three pipes of a program, without threads or blocking: a program may never read, never write, never close."""

import asyncio
import contextlib
import os
from collections.abc import Callable
from typing import IO

_CHUNK = 65536


class Feed:
    """Writes a text into a pipe as fast as the other side reads, then closes it, unless `more` follows.

    What fits into the pipe is there before the event loop runs again: an agent that waits a few seconds for its prompt
    gives up when a busy machine takes longer.
    """

    def __init__(self, pipe: IO[bytes], content: bytes, *, more: bool = False) -> None:
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._rest = memoryview(content)
        self._more = more
        os.set_blocking(pipe.fileno(), False)
        self._write()

    @property
    def unread(self) -> int:
        """How many bytes the other side has not read yet."""
        return len(self._rest)

    def say(self, content: bytes) -> None:
        """Writes this as well, after earlier content; does nothing if the other side no longer reads."""
        if not self._pipe.closed:
            self._rest = memoryview(bytes(self._rest) + content)
            self._write()

    def hang_up(self) -> None:
        """Closes the pipe once everything has been read."""
        self._more = False
        if not self._rest:
            self.close()

    def close(self) -> None:
        if not self._pipe.closed:
            self._loop.remove_writer(self._pipe.fileno())
            self._pipe.close()

    def _write(self) -> None:
        try:
            while self._rest:
                self._rest = self._rest[os.write(self._pipe.fileno(), self._rest[:_CHUNK]) :]
        except BlockingIOError:
            self._loop.add_writer(self._pipe.fileno(), self._write)
            return
        except OSError:  # the other side no longer reads
            self._more = False
        if self._more:
            self._loop.remove_writer(self._pipe.fileno())
        else:
            self.close()


class Drain:
    """Passes on what comes out of a pipe, chunk by chunk; calls `on_end` at its end."""

    def __init__(self, pipe: IO[bytes], on_chunk: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._on_chunk = on_chunk
        self._on_end = on_end
        self._shut = False
        os.set_blocking(pipe.fileno(), False)
        self._loop.add_reader(pipe.fileno(), self._read)

    @property
    def ended(self) -> bool:
        return self._shut or self._pipe.closed

    def shut(self) -> None:
        """Stops reading."""
        self._shut = True
        if not self._pipe.closed:
            self._loop.remove_reader(self._pipe.fileno())

    def finish(self) -> None:
        """Passes on what is left in the pipe, unless shut, and closes it; called when no process writes any more."""
        with contextlib.suppress(BlockingIOError):
            while not self._shut and not self._pipe.closed:
                self._take(os.read(self._pipe.fileno(), _CHUNK))
        self._close()

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._take(os.read(self._pipe.fileno(), _CHUNK))

    def _take(self, chunk: bytes) -> None:
        if chunk:
            self._on_chunk(chunk)
        else:
            self._close()
            self._on_end()

    def _close(self) -> None:
        if not self._pipe.closed:
            self._loop.remove_reader(self._pipe.fileno())
            self._pipe.close()
