"""Runs a proxy for one program, from before its start until after its end, and reports what it has refused.

The proxy answers on a socket that was made inside, in the program's own network, and passed out before the program
started: see `door`. So there is no file between the two that could be found or left behind, and no other process.
"""

import asyncio
import contextlib
import os
import socket
import struct
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import cache
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from typing import Final

from shiftwork.adapters.processes.supervisor.supervise import Spawn
from shiftwork.adapters.sandbox.network import door
from shiftwork.adapters.sandbox.network.accept import accept
from shiftwork.adapters.sandbox.network.forwarded_port import Forwarder
from shiftwork.adapters.sandbox.network.proxy import Pass, Proxy
from shiftwork.domain.network.hosts import Host
from shiftwork.records import replace

_MOST_REMARKS: Final = 20
_MESSAGE_BYTES: Final = 1024
_OWN: Final = ("localhost", "127.0.0.1", "::1")


def interpreter() -> str:
    """Returns the real path of this interpreter, without its virtual environment, of which nothing is needed."""
    return os.path.realpath(sys.executable)


@cache
def door_file() -> Path:
    """Returns the door, compiled if possible: otherwise every start would compile it again."""
    return compiled(Path(door.__file__))


def compiled(source: Path) -> Path:
    """Returns the compiled file if it exists and is up to date; otherwise the source itself."""
    kept = Path(cache_from_source(source))
    try:
        facts = source.stat()
        head = kept.read_bytes()[:16]
    except OSError:
        return source
    # The header that the import system writes: its version, the check by time and size, and both of them.
    fresh = MAGIC_NUMBER + struct.pack("<3I", 0, int(facts.st_mtime) & 0xFFFFFFFF, facts.st_size & 0xFFFFFFFF)
    return kept if head == fresh else source


def through_gateway(command: tuple[str, ...], hosts: Iterable[Host], ports: Iterable[int] = ()) -> tuple[str, ...]:
    """Returns the command that starts a program inside, with its proxy. The program reaches its own loopback directly,
    unless the machine's is listed under the same name.
    """
    names = {host.name for host in hosts}
    beside = ",".join(name for name in _OWN if name not in names)
    return (interpreter(), "-I", "-S", str(door_file()), beside, ",".join(map(str, ports)), *command)


class Gateway:
    """Serves one program, once."""

    def __init__(self, given: Pass) -> None:
        self._proxy = Proxy(given, self._note)
        self._most = 1 + len(given.ports)
        self._refused: dict[str, None] = {}

    @property
    def remarks(self) -> tuple[str, ...]:
        remarks = tuple(f"refused by the sandbox: {why}" for why in self._refused)
        left = len(remarks) - _MOST_REMARKS
        return (
            (*remarks[:_MOST_REMARKS], "refused by the sandbox: more hosts, not listed here") if left > 0 else remarks
        )

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
        """Serves until it is cancelled."""
        async with contextlib.AsyncExitStack() as all_of_it:
            all_of_it.push_async_callback(self._proxy.close)
            try:
                own, others = await _handed_out(channel, self._most)
                forwarders = {Forwarder(port): listener for port, listener in others.items()}
                for forwarder in forwarders:
                    all_of_it.push_async_callback(forwarder.close)
                answers = [(own, self._proxy.answer), *((listener, by.answer) for by, listener in forwarders.items())]
                await asyncio.gather(*(accept(listener, answer) for listener, answer in answers))
            except OSError as failure:
                self._note(f"every call, because the proxy did not start: {failure}")

    def _note(self, why: str) -> None:
        if len(self._refused) <= _MOST_REMARKS:
            self._refused[why] = None


async def _handed_out(channel: socket.socket, most: int) -> tuple[socket.socket, dict[int, socket.socket]]:
    """Returns the proxy's listener, and those of the forwarded ports."""
    loop, arrived = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(channel, arrived.set)
    try:
        await arrived.wait()
    finally:
        loop.remove_reader(channel)
    named, descriptors, _, _ = socket.recv_fds(channel, _MESSAGE_BYTES, most)
    own, *others = (socket.socket(fileno=descriptor) for descriptor in descriptors)
    ports = [int(word) for word in named[1:].decode().split(",") if word]
    return own, dict(zip(ports, others, strict=True))
