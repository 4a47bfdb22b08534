"""Forwards ports of this machine: a sandboxed program reaches them on its own loopback."""

import asyncio
import contextlib
from typing import Final

_CHUNK: Final = 64 * 1024
_CONNECT_SECONDS: Final = 10.0
MOST_CALLS: Final = 100
"""The most calls at once for one port of one program: each takes two of the files that this process may have open."""


class Forwarder:
    """Forwards one port of 127.0.0.1 for one program."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._calls: set[asyncio.Task[None]] = set()
        self._closed = False

    def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> asyncio.Task[None] | None:
        if self._closed or len(self._calls) >= MOST_CALLS:
            writer.transport.abort()
            return None
        call = asyncio.create_task(self._joined(reader, writer))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        return call

    async def close(self) -> None:
        self._closed = True
        ending = list(self._calls)
        for call in ending:
            call.cancel()
        await asyncio.gather(*ending, return_exceptions=True)

    async def _joined(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        theirs: asyncio.StreamWriter | None = None
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                answers, theirs = await asyncio.open_connection("127.0.0.1", self._port)
            async with asyncio.TaskGroup() as both:
                both.create_task(_copied(reader, theirs))
                both.create_task(_copied(answers, writer))
        except* OSError:
            pass  # no program listens there, or either side has hung up: the sandboxed program sees a closed connection
        finally:
            writer.transport.abort()
            if theirs:
                theirs.transport.abort()


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(_CHUNK):
        writer.write(chunk)
        await writer.drain()
    with contextlib.suppress(OSError):
        writer.write_eof()
