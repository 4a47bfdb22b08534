"""How long tests wait for an expected event: long enough for a busy machine with two cores and a slow disk.

A deadline ends a test that would hang, and says nothing about speed: a deadline that is met by luck is too short.
Tests poll while they wait, so a long deadline costs nothing where it is not needed. Where something must be quick, a
`Stopwatch` separates slow code from a busy machine.
"""

import contextlib
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

SECONDS: Final = 240.0
"""For a command to end, a process to start, a state to be reached."""

LONG_SECONDS: Final = 900.0
"""For a command that has dozens of agents work one after the other."""

STATUS_EVERY: Final = 0.5
"""Seconds between two looks that start a process each or go through all of them: what is waited for needs the
processor, too.
"""

_PRESSURE: Final = ("cpu", "io", "memory")
_SOME: Final = re.compile(r"^some .*total=(\d+)$", re.MULTILINE)
_REPORT_EVERY: Final = 2.5
"""Linux brings these sums up to date every two seconds."""


def awaited[T](
    look: Callable[[], T], wanted: Callable[[T], object] = bool, *, seconds: float = SECONDS, every: float = 0.05
) -> T:
    """What a look gives, as soon as it gives what is wanted."""
    until = time.monotonic() + seconds
    while not wanted(seen := look()):
        assert time.monotonic() < until, f"timed out: {seen}"
        time.sleep(every)
    return seen


def eventually(holds: Callable[[], object], *, seconds: float = SECONDS, every: float = 0.05) -> None:
    """Return as soon as it holds."""
    awaited(holds, seconds=seconds, every=every)


class Stopwatch:
    """Runs from its creation, and stops while any process waits for a processor, the disk or memory.

    Linux counts that (`/proc/pressure`); elsewhere it never stops.
    """

    def __init__(self) -> None:
        self._waited = _waited()
        self._began = time.monotonic()

    def seconds(self, passed: float | None = None) -> float:
        """The seconds since its creation, or those given, without the time in which processes had to wait."""
        gross = time.monotonic() - self._began if passed is None else passed
        return max(0.0, gross - (_waited() - self._waited))

    def within(self, bound: float, passed: float | None = None) -> bool:
        gross = time.monotonic() - self._began if passed is None else passed
        if gross <= bound:
            return True
        time.sleep(_REPORT_EVERY)
        return self.seconds(gross) <= bound


def _waited() -> float:
    message = ""
    for name in _PRESSURE:
        with contextlib.suppress(OSError):
            message += Path("/proc/pressure", name).read_text(encoding="ascii")
    return sum(map(int, _SOME.findall(message))) / 1e6
