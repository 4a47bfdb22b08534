"""Runs one program to its end within limits, and leaves none of its processes alive.

Rejected: asyncio's own subprocesses. There, a cancellation between the fork and the first wait loses the child, and
`wait` does not return while a grandchild holds the output open.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from typing import IO

from shiftwork import redaction, umask
from shiftwork.adapters.processes.ending.end import end_all
from shiftwork.adapters.processes.guard.guard_client import guarded
from shiftwork.adapters.processes.host.host import MARKER_VARIABLE, Sighting, tag_for
from shiftwork.adapters.processes.host.own_children import birth, claimed, marked
from shiftwork.adapters.processes.host.this_host import this_host
from shiftwork.adapters.processes.supervisor.confined_thread import confined, filtering
from shiftwork.adapters.processes.supervisor.descendants import Descendants
from shiftwork.adapters.processes.supervisor.output_lines import Lines, Tail
from shiftwork.adapters.processes.supervisor.pipes import Drain, Feed
from shiftwork.adapters.processes.supervisor.process_survey import survey
from shiftwork.adapters.processes.supervisor.resource_watch import WATCH_SECONDS, Watch
from shiftwork.adapters.processes.supervisor.spawn import Cause, Exit, Spawn
from shiftwork.records import replace

__all__ = ["MARKER_VARIABLE", "Cause", "Exit", "Spawn", "marked", "supervise"]

_DRAIN_SECONDS = 0.5
_LOOK_SECONDS = 2.0
_POLL_SECONDS = 0.02
_FROZEN_SECONDS = 2.0  # the event loop is never that late because of its own work
_SIGNALLED = 128


async def supervise(
    spawn: Spawn, on_line: Callable[[bytes], None], on_start: Callable[[Feed], None] | None = None
) -> Exit:
    """Runs the program; `on_line` gets each line of standard output, without its line end, as it arrives.

    Its standard input closes after the spawn's `stdin`, unless `on_start` is given: it gets the feed to write more.

    However this ends (also if it is cancelled, or `on_line` raises), no process of the program is alive afterwards; if
    this process is killed, its guard ensures that. A line over 4 MiB is cut there. The first cancellation asks the
    program to stop; the second kills it at once. Raises OSError if the program cannot be started, ValueError if its
    marker is already supervised.
    """
    spawn = replace(spawn, marker=marked(spawn.marker))
    with guarded(spawn.marker), claimed(spawn.marker):
        if spawn.sidecar is None:
            return await _run(spawn, on_line, on_start)
        async with spawn.sidecar.beside(spawn) as ready:
            over = await _run(ready, on_line, on_start)
        return replace(over, remarks=spawn.sidecar.remarks)


async def _run(spawn: Spawn, on_line: Callable[[bytes], None], on_start: Callable[[Feed], None] | None) -> Exit:
    program = _Program(spawn, on_line, on_start)
    try:
        cause = await program.until_over()
        if cause is Cause.EXITED:
            await program.until_drained()
        elif cause is not Cause.EXCEEDED:  # it would only use more meanwhile
            await program.ask_to_stop()
    except asyncio.CancelledError:
        await program.ask_to_stop()
        raise
    finally:
        await program.end()
    return program.exit(cause)


class _Program:
    """One running program: the event loop passes its output on, `_news` wakes the task that waits for a change."""

    def __init__(self, spawn: Spawn, on_line: Callable[[bytes], None], on_start: Callable[[Feed], None] | None) -> None:
        self._spawn = spawn
        self._lines, self._stderr = Lines(on_line), Tail()
        # Redacted before the end is cut out, because the cut could leave half of a secret. Lines are redacted by their
        # reader, which may need them unchanged.
        self._complaints = redaction.Stream(self._stderr.feed)
        self._news = asyncio.Event()
        self._failure: Exception | None = None
        self._room = spawn.output_bytes
        self._exceeded = ""
        host = this_host()
        host.adopt_orphans()
        with birth() as remember, host.tagging(tag_for(spawn.marker)):
            self._process = _started(spawn)
            remember(self._process)
        try:
            self._kin = Descendants(host, self._process.pid, spawn.marker)
            self._connect(more=on_start is not None)
            if on_start:
                on_start(self._feed)
        except BaseException:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            raise
        self._watch = Watch(spawn.bounds, self._process.pid) if spawn.bounds else None
        self._began = self._last_sign = self._last_look = time.monotonic()

    async def until_over(self) -> Cause:
        """Waits until it exits or exceeds a limit."""
        while self._process.poll() is None:
            now = time.monotonic()
            wall = self._began + self._spawn.wall_seconds
            silence = self._last_sign + self._spawn.silence_seconds
            if self._room < 0:
                return Cause.FLOODED
            if now >= min(wall, silence):
                return Cause.TIMED_OUT if now >= wall else Cause.SILENT
            due = min(wall, silence, now + WATCH_SECONDS if self._watch else self._last_look + _LOOK_SECONDS)
            await self._wait(due)
            self._forgive(time.monotonic() - due)
            if await self._look():
                return Cause.EXCEEDED
        return Cause.EXITED

    async def until_drained(self) -> None:
        """Waits for the end of its output, but not for long: a grandchild may hold it open."""
        until = time.monotonic() + _DRAIN_SECONDS
        while not all(drain.ended for drain in self._drains) and time.monotonic() < until:
            await self._wait(until)

    async def ask_to_stop(self) -> None:
        """Signals its group, as a terminal would, and gives it the time of its `stop_signals`."""
        for number, grace in self._spawn.stop_signals:
            until = time.monotonic() + grace
            if self._process.poll() is None:
                self._ask(self._kin.look(_leave), number)
            while self._process.poll() is None and time.monotonic() < until:
                await self._wait(until)

    def _ask(self, living: list[Sighting], number: signal.Signals) -> None:
        main = self._process.pid
        inside = (
            {sighting.group for sighting in living if sighting.parent == main} if self._spawn.enclosed else set[int]()
        )
        # A signal to the sandbox itself would end it at once, together with the processes that should get time.
        for group in inside - {main} or {main}:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)

    async def end(self) -> None:
        """Ends whatever is left of it, then reads the last of its output."""
        try:
            await end_all(self._kin)
        finally:
            self._process.poll()
            self._feed.close()
            for drain in self._drains:
                drain.finish()
            self._guarded(self._lines.end)
            self._guarded(self._complaints.end)
            if self._pidfd is not None:
                asyncio.get_running_loop().remove_reader(self._pidfd)
                os.close(self._pidfd)

    def exit(self, cause: Cause) -> Exit:
        if self._failure:
            raise self._failure
        return Exit(
            code=self._code(),
            cause=Cause.FLOODED if cause is Cause.EXITED and self._room < 0 else cause,
            seconds=time.monotonic() - self._began,
            stderr=self._stderr.text(),
            exceeded=self._exceeded,
        )

    def _code(self) -> int:
        code = self._process.returncode
        if code is None:
            return -signal.SIGKILL
        # A sandbox reports a signal as a shell does.
        return _SIGNALLED - code if self._spawn.enclosed and code > _SIGNALLED else code

    def _connect(self, *, more: bool) -> None:
        stdout, stderr = _given(self._process.stdout), _given(self._process.stderr)
        self._feed = Feed(_given(self._process.stdin), self._spawn.stdin, more=more)
        self._drains = (
            Drain(stdout, lambda chunk: self._received(chunk, self._lines.feed), self._news.set),
            Drain(stderr, lambda chunk: self._received(chunk, self._complaints.feed), self._news.set),
        )
        self._pidfd = _pidfd(self._process.pid)
        if self._pidfd is not None:
            asyncio.get_running_loop().add_reader(self._pidfd, self._exited, self._pidfd)

    def _exited(self, pidfd: int) -> None:
        asyncio.get_running_loop().remove_reader(pidfd)
        self._news.set()

    def _received(self, chunk: bytes, take: Callable[[bytes], None]) -> None:
        self._last_sign = time.monotonic()
        allowed = chunk[: max(self._room, 0)]
        self._room -= len(chunk)
        self._guarded(lambda: take(allowed))
        if self._room < 0:
            self._shut()

    def _guarded(self, hand_on: Callable[[], None]) -> None:
        # What the caller's function raises would be lost in the event loop; it is kept and raised at the end.
        try:
            if not self._failure:
                hand_on()
        except Exception as failure:  # noqa: BLE001 - see above
            self._failure = failure
            self._shut()

    def _shut(self) -> None:
        """Stops reading its output: it blocks when the pipe is full."""
        for drain in self._drains:
            drain.shut()
        self._news.set()

    def _forgive(self, late: float) -> None:
        """Does not count the time in which this process was suspended, at the terminal or with its machine."""
        if late > _FROZEN_SECONDS:
            self._began += late
            self._last_sign = time.monotonic()

    async def _look(self) -> bool:
        """Returns whether it has exceeded its limits."""
        # Now and then, so that processes orphaned in a long attempt are remembered, and reaped when they die.
        hurries, now = self._watch is not None and self._watch.hurries(), time.monotonic()
        if hurries or now >= self._last_look + _LOOK_SECONDS:
            after = max(self._last_look, now - WATCH_SECONDS) if hurries else self._last_look
            living = self._kin.remember(await survey(this_host(), after=after))
            if self._watch:  # in a thread, because folders may have to be measured
                self._exceeded = await asyncio.to_thread(self._watch.broken, living)
            self._last_look = time.monotonic()
        return bool(self._exceeded)

    async def _wait(self, until: float) -> None:
        """Waits for a change, at most until the given time."""
        if self._failure:
            raise self._failure
        seconds = until - time.monotonic()
        self._news.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds if self._pidfd is not None else min(seconds, _POLL_SECONDS)):
                await self._news.wait()


def _started(spawn: Spawn) -> subprocess.Popen[bytes]:
    if not spawn.enclosed:
        return _start(spawn)
    with filtering(spawn) as ready:
        return confined(ready.argv[0], lambda: _start(ready))


def _start(spawn: Spawn) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - starting what the user configured is what this is for
        spawn.argv,
        # Bubblewrap changes to it itself, once nothing can be loaded from there any more.
        cwd="/" if spawn.enclosed else spawn.cwd,
        env={**spawn.env, MARKER_VARIABLE: spawn.marker},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
        pass_fds=spawn.inherits,
        umask=umask.users(),
    )


def _leave(_: Sighting) -> None:
    """Does nothing, because the look itself remembers."""


def _given(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("all three pipes were asked for")
    return pipe


def _pidfd(pid: int) -> int | None:
    """Returns a descriptor that becomes readable when the process exits; None if unsupported, and we poll instead."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
