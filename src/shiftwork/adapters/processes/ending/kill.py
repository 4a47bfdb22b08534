"""Freezes and kills processes without an event loop: the guard needs only this, and must start quickly."""

import os
import signal
import time
from collections.abc import Callable
from typing import Final, Protocol

from shiftwork.adapters.processes.host.host import Sighting

LONGEST_PAUSE: Final = 0.02


class Targets(Protocol):
    """Processes to end, which may become more meanwhile. `group` is a process group of theirs alone, or 0."""

    group: int

    def look(self, on_sight: Callable[[Sighting], None]) -> list[Sighting]:
        """Returns those that are left, and passes each to `on_sight` as soon as it is seen."""
        ...


def end_quickly(targets: Targets, seconds: float) -> None:
    """Like `end_all`, but gives up after `seconds`, even if processes are left."""
    termination, until = Termination(targets.group), time.monotonic() + seconds
    while targets.look(termination):
        termination.kill()
        if time.monotonic() >= until:
            return
        time.sleep(LONGEST_PAUSE)


class Termination:
    """Freezes on sight, because a process that forks and exits all the time is gone once the whole table is read. Kills
    only when all that were seen are frozen: a script whose child is killed first would continue with its next line.

    By pid, not by handle: before a pid is reused, the kernel goes through all others, which takes longer than this.
    """

    def __init__(self, group: int) -> None:
        self.ended: set[tuple[int, float]] = set()
        self.refused: set[tuple[int, float]] = set()
        self._group = group
        self._frozen: list[Sighting] = []

    def __call__(self, sighting: Sighting) -> None:
        if not sighting.zombie and self._send(sighting, signal.SIGSTOP):
            self._frozen.append(sighting)

    def kill(self) -> bool:
        """Kills the frozen processes; returns whether any of them had not been ended before."""
        known = len(self.ended)
        frozen, self._frozen = self._frozen, []
        for sighting in reversed(frozen):  # the oldest first
            self._send(sighting, signal.SIGKILL)
            # A frozen process that is gone by now was ended with another: a sandbox ends all processes inside it.
            if sighting.identity not in self.refused:
                self.ended.add(sighting.identity)
        return len(self.ended) > known

    def _send(self, sighting: Sighting, number: signal.Signals) -> bool:
        try:
            os.kill(sighting.pid, number)
            # The whole group at once, for programs that fork faster than we look. The number cannot mean another group:
            # a member was just seen. But 0, which is shown for a group from outside our container, would mean our own
            # group.
            if self._group and sighting.group == self._group:
                os.killpg(sighting.group, number)
        except ProcessLookupError:
            return False
        except PermissionError:
            self.refused.add(sighting.identity)
            return False
        return True
