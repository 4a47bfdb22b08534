"""Keeps a proxy beside one program, from before its start until after its end, and tells what it has refused.

The proxy answers on a socket that was made inside, in the program's own network, and handed out before the program
began: see `door`. So there is no file between the two that anybody could find or leave behind, and nobody in between.
"""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from shiftwork.adapters.processes.supervise import Spawn
from shiftwork.adapters.sandbox import door
from shiftwork.adapters.sandbox.proxy import MOST_CALLS, Pass, Proxy
from shiftwork.domain.model.hosts import Host

DOOR: Final = Path(door.__file__)

_MOST_REMARKS: Final = 20
_OWN: Final = ("localhost", "127.0.0.1", "::1")


def interpreter() -> str:
    """This one, and not by the name that it has in a virtual environment, of which nothing is needed."""
    return os.path.realpath(sys.executable)


def through_the_door(command: tuple[str, ...], hosts: Iterable[Host]) -> tuple[str, ...]:
    """The command by which a program is started inside, so that it finds its proxy. What it has on its own loopback it
    reaches by itself, unless that of the machine is listed under the same name.
    """
    names = {host.name for host in hosts}
    beside = ",".join(name for name in _OWN if name not in names)
    return (interpreter(), "-I", "-S", str(DOOR), beside, *command)


class Gateway:
    """For one program, once."""

    def __init__(self, given: Pass) -> None:
        self._proxy = Proxy(given, self._note)
        self._refused: dict[str, None] = {}

    @property
    def remarks(self) -> tuple[str, ...]:
        told = tuple(f"refused by the sandbox: {why}" for why in self._refused)
        left = len(told) - _MOST_REMARKS
        return (*told[:_MOST_REMARKS], "refused by the sandbox: more hosts than are told") if left > 0 else told

    @asynccontextmanager
    async def beside(self, spawn: Spawn) -> AsyncIterator[Spawn]:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            serving = asyncio.create_task(self._serve(ours))
            try:
                env = {**spawn.env, door.CHANNEL: str(theirs.fileno())}
                yield replace(spawn, env=env, inherits=(theirs.fileno(),))
            finally:
                serving.cancel()
                await asyncio.gather(serving, return_exceptions=True)

    async def _serve(self, channel: socket.socket) -> None:
        """Until it is cancelled."""
        try:
            listener = await _handed_out(channel)
            # Started apart: cancelled while it starts by itself, it would stay.
            answer = self._proxy.answer
            server = await asyncio.start_server(answer, sock=listener, backlog=MOST_CALLS, start_serving=False)
            try:
                await server.start_serving()
                await asyncio.get_running_loop().create_future()
            finally:
                server.close()
        except OSError as failure:
            self._note(f"everything, because there is no proxy: {failure}")
        finally:
            await self._proxy.close()

    def _note(self, why: str) -> None:
        if len(self._refused) <= _MOST_REMARKS:
            self._refused[why] = None


async def _handed_out(channel: socket.socket) -> socket.socket:
    loop, arrived = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(channel, arrived.set)
    try:
        await arrived.wait()
    finally:
        loop.remove_reader(channel)
    _, (descriptor, *_), _, _ = socket.recv_fds(channel, 1, 1)
    return socket.socket(fileno=descriptor)
