"""Runs one short program to its end and collects its output.

Rejected: asyncio's own subprocesses. Connecting their pipes takes several turns of the event loop, and twice the time;
a landing waits for some ten programs, every step of a story for a few. Also rejected: `supervise`, which is for
untrusted programs: git starts nothing that outlives it.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
from typing import Final

from shiftwork.adapters.processes.supervisor.pipes import Drain, Feed

_POLL_SECONDS: Final = 0.005


class Call:
    """Takes over a program that was started in its own session; `out` and `err` are complete once it has ended."""

    def __init__(self, process: subprocess.Popen[bytes], content: bytes) -> None:
        self.out, self.err = bytearray(), bytearray()
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._over = self._loop.create_future()
        pipes = ((process.stdout, self.out), (process.stderr, self.err))
        self._drains = [Drain(pipe, sink.extend, self._one_ended) for pipe, sink in pipes if pipe is not None]
        self._feed = Feed(process.stdin, content) if process.stdin is not None else None
        self._missing = 1 + len(self._drains)
        self._pidfd = -1
        self._watch()

    async def over(self) -> int:
        """Waits until it has exited and its output has ended; returns its exit code."""
        await self._over
        return self._process.wait()

    async def end(self) -> None:
        """Releases it. If it still runs, it is killed with its children."""
        self._forget()
        if self._feed is not None:
            self._feed.close()
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await asyncio.to_thread(self._process.wait)
        for drain in self._drains:
            drain.finish()

    def _watch(self) -> None:
        try:
            self._pidfd = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):  # not every system reports exits: poll instead
            self._ask()
        else:
            self._loop.add_reader(self._pidfd, self._exited)

    def _ask(self) -> None:
        if self._process.poll() is None and not self._over.done():
            self._loop.call_later(_POLL_SECONDS, self._ask)
        else:
            self._one_ended()

    def _exited(self) -> None:
        self._forget()
        self._one_ended()

    def _forget(self) -> None:
        if self._pidfd >= 0:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1

    def _one_ended(self) -> None:
        self._missing -= 1
        if not self._missing and not self._over.done():
            self._over.set_result(None)
