"""How long tests wait for what must come: long enough for a machine with two cores, a slow disk and much else to do.

A deadline ends a test that would hang, and says nothing about how quick anything is: one that is met by luck is too
short. Whoever waits looks again and again, so that patience costs nothing where it is not needed. Where something has
to be quick, a `Stopwatch` tells what was slow from what the machine kept waiting.
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
_TOLD_EVERY: Final = 2.5
"""Linux brings these sums up to date every two seconds."""


def awaited[T](
    look: Callable[[], T], wanted: Callable[[T], object] = bool, *, seconds: float = SECONDS, every: float = 0.05
) -> T:
    """What a look gives, as soon as it gives what is wanted."""
    until = time.monotonic() + seconds
    while not wanted(seen := look()):
        assert time.monotonic() < until, f"waited in vain: {seen}"
        time.sleep(every)
    return seen


def eventually(holds: Callable[[], object], *, seconds: float = SECONDS, every: float = 0.05) -> None:
    """Return as soon as it holds."""
    awaited(holds, seconds=seconds, every=every)


class Stopwatch:
    """Runs from when it is made, and stands still while anybody waits for a processor, the disk or memory.

    Linux counts that (`/proc/pressure`); elsewhere it never stands still.
    """

    def __init__(self) -> None:
        self._waited = _waited()
        self._began = time.monotonic()

    def seconds(self, passed: float | None = None) -> float:
        """Of those that have passed, or of these that passed while it ran, how many the machine was free."""
        gross = time.monotonic() - self._began if passed is None else passed
        return max(0.0, gross - (_waited() - self._waited))

    def within(self, bound: float, passed: float | None = None) -> bool:
        gross = time.monotonic() - self._began if passed is None else passed
        if gross <= bound:
            return True
        time.sleep(_TOLD_EVERY)
        return self.seconds(gross) <= bound


def _waited() -> float:
    told = ""
    for name in _PRESSURE:
        with contextlib.suppress(OSError):
            told += Path("/proc/pressure", name).read_text(encoding="ascii")
    return sum(map(int, _SOME.findall(told))) / 1e6
