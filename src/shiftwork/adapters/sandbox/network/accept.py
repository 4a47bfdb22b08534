"""Accepts the calls of one program, limited by the number of files that this process may have open.

A program can make any number of calls, and every accepted call takes one or two of the files that this process may have
open: without any left, it could start no program and write no history. So calls beyond a limit are not accepted; they
wait in the kernel, which refuses those beyond its own limit. The programs of one process share one limit.

Rejected: asyncio's own server, which accepts every call.
"""

import asyncio
import contextlib
import resource
import socket
from collections.abc import Callable
from typing import Final
from weakref import WeakKeyDictionary

from shiftwork.adapters.sandbox.network.proxy import MOST_CALLS

_TURNED_AWAY: Final = 16
"""How many more calls are accepted, only to be answered that there are too many."""

_FILES_A_CALL: Final = 2
_PAUSE_SECONDS: Final = 0.2

type _Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], asyncio.Task[None] | None]

_shared: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]] = WeakKeyDictionary()


async def accept(listener: socket.socket, answer: _Answer) -> None:
    """Accepts calls until it is cancelled, which closes the listener."""
    listener.setblocking(False)
    loop = asyncio.get_running_loop()
    slots = (asyncio.Semaphore(MOST_CALLS + _TURNED_AWAY), _shared.setdefault(loop, asyncio.Semaphore(_most())))

    def over(_: object = None) -> None:
        for slot in slots:
            slot.release()

    with listener:
        while True:
            await slots[0].acquire()
            line = await _accepted(loop, listener)
            try:
                await slots[1].acquire()
            except asyncio.CancelledError:
                line.close()
                raise
            call = await _answered(line, answer)
            if call is None:
                over()
            else:
                call.add_done_callback(over)


async def _answered(line: socket.socket, answer: _Answer) -> asyncio.Task[None] | None:
    try:
        return answer(*await asyncio.open_connection(sock=line))
    except OSError:  # the caller has hung up
        line.close()
        return None


async def _accepted(loop: asyncio.AbstractEventLoop, listener: socket.socket) -> socket.socket:
    while True:
        with contextlib.suppress(OSError):  # no file is left for it, or the caller has hung up
            return (await loop.sock_accept(listener))[0]
        await asyncio.sleep(_PAUSE_SECONDS)


def _most() -> int:
    """Returns the limit for the calls of all programs together, which may take half of the open files."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return max(files, 64) // 2 // _FILES_A_CALL
