"""Ends processes until none is left, whatever happens meanwhile to the one who waits for it."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from typing import Protocol

from shiftwork.adapters.processes.host import Sighting

_LONGEST_PAUSE = 0.02
# Ten seconds, in which nobody new has come. Counted in looks: where we stand still ourselves, those that were found
# would be left frozen when the time is over, and what was born meanwhile would not be seen at all.
_PATIENCE_LOOKS = 500
# A few minutes: one who forks faster than we look is left to the reaper then, for the run is to go on or to end.
_MOST_LOOKS = 10_000


class Quarry(Protocol):
    """Processes that may become more while they are ended. `group` is a process group of theirs alone, or 0."""

    group: int

    def look(self, on_sight: Callable[[Sighting], None]) -> list[Sighting]:
        """Those that are left, each told as soon as it is seen."""
        ...


async def end_all(quarry: Quarry) -> int:
    """Freeze, kill and look again until a look finds none; how many there were.

    A cancellation is put off until then. A process that took another user's rights is not ours to end. One that the
    kernel cannot end (stuck in a device) is waited for ten seconds and left: with the kill pending it never runs again.
    """
    strike = _Strike(quarry.group)
    put_off: asyncio.CancelledError | None = None
    pause, in_vain = 0.001, 0
    for _ in range(_MOST_LOOKS):
        if in_vain >= _PATIENCE_LOOKS or all(one.identity in strike.refused for one in quarry.look(strike)):
            break
        in_vain = 0 if strike.kill() else in_vain + 1
        try:
            await asyncio.sleep(pause)
        except asyncio.CancelledError as cancelled:
            put_off = cancelled
        pause = min(pause * 2, _LONGEST_PAUSE)
    if put_off:
        raise put_off
    return len(strike.ended)


def end_quickly(quarry: Quarry, seconds: float) -> None:
    """The same for one who has no time: where somebody is left after so long, that is so."""
    strike, until = _Strike(quarry.group), time.monotonic() + seconds
    while quarry.look(strike):
        strike.kill()
        if time.monotonic() >= until:
            return
        time.sleep(_LONGEST_PAUSE)


class _Strike:
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
