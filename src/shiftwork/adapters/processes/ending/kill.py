"""Freezes processes and kills them, without an event loop: the guard, which must start quickly, needs no more."""

import os
import signal
import time
from collections.abc import Callable
from typing import Final, Protocol

from shiftwork.adapters.processes.host.host import Sighting

LONGEST_PAUSE: Final = 0.02


class Quarry(Protocol):
    """Processes that may become more while they are ended. `group` is a process group of theirs alone, or 0."""

    group: int

    def look(self, on_sight: Callable[[Sighting], None]) -> list[Sighting]:
        """Those that are left, each given as soon as it is seen."""
        ...


def end_quickly(quarry: Quarry, seconds: float) -> None:
    """The same for one who has no time: where somebody is left after so long, that is so."""
    strike, until = Strike(quarry.group), time.monotonic() + seconds
    while quarry.look(strike):
        strike.kill()
        if time.monotonic() >= until:
            return
        time.sleep(LONGEST_PAUSE)


class Strike:
    """Freezes on sight: one that forks and exits all the time is gone when the whole table has been read. Killed is
    when all that were seen stand still: a script whose child is killed before it would go on to its next line.

    By number, not by handle: between the look and the kill the kernel would have to go through all its numbers.
    """

    def __init__(self, group: int) -> None:
        self.ended: set[tuple[int, float]] = set()
        self.refused: set[tuple[int, float]] = set()
        self._group = group
        self._frozen: list[Sighting] = []

    def __call__(self, one: Sighting) -> None:
        if not one.zombie and self._send(one, signal.SIGSTOP):
            self._frozen.append(one)

    def kill(self) -> bool:
        """End who was frozen; whether there was anybody among them who was not ended before."""
        known = len(self.ended)
        frozen, self._frozen = self._frozen, []
        for one in reversed(frozen):  # the eldest first
            self._send(one, signal.SIGKILL)
            # Whoever stood still and is gone by now was ended with another: a wall takes all within along.
            if one.identity not in self.refused:
                self.ended.add(one.identity)
        return len(self.ended) > known

    def _send(self, one: Sighting, number: signal.Signals) -> bool:
        try:
            os.kill(one.pid, number)
            # A whole group at once, for those that fork faster than we look. Its number cannot mean another group: a
            # member was seen just now. But nought, as a group is shown that began outside of our container, means ours.
            if self._group and one.group == self._group:
                os.killpg(one.group, number)
        except ProcessLookupError:
            return False
        except PermissionError:
            self.refused.add(one.identity)
            return False
        return True
