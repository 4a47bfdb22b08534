"""Runs a process in simulated time: waiting costs nothing, and the process may be suspended between any two of its
turns, as by a closed lid or SIGSTOP. Whatever was due meanwhile is due at once when it continues.
"""

import asyncio
import random
import selectors
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from shiftwork.records import dataclass
from shiftwork.testing.simulation.simulation import Chance, EndlessError

SUSPENSIONS: Final = (0.3, 1.0, 2.5, 90.0)
"""How long a process is suspended, in seconds."""

_NONE: Final = (0.0,) * 30


@dataclass(frozen=True, slots=True)
class SeededChance:
    """Random choices that follow from a seed: a process makes too many turns to draw each of them."""

    random: random.Random

    def pick[T](self, options: Sequence[T]) -> T:
        return self.random.choice(options)


class _SimulatedWaits(selectors.SelectSelector):
    """A selector that does not wait: the time that it would have waited passes at once."""

    def __init__(self, pass_time: Callable[[float], None]) -> None:
        super().__init__()
        self._pass_time = pass_time

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if ready := super().select(0):
            return ready
        if timeout is None:
            raise EndlessError("everything waits, and nothing will ever happen")
        self._pass_time(max(timeout, 0.0))
        return []


class SuspendedLoop(asyncio.SelectorEventLoop):
    """An event loop in simulated time, suspended now and then by chance."""

    def __init__(self, chance: Chance, suspensions: Sequence[float]) -> None:
        self._now = 0.0
        self._pauses = (*_NONE, *suspensions)
        self._chance = chance
        super().__init__(_SimulatedWaits(self._pass_time))

    def time(self) -> float:
        return self._now

    def _pass_time(self, seconds: float) -> None:
        self._now += seconds + self._chance.pick(self._pauses)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopClock:
    """The clock of a process in simulated time."""

    loop: asyncio.AbstractEventLoop

    def now(self) -> float:
        return self.loop.time()

    def elapsed(self) -> float:
        return self.loop.time()

    def fresh(self) -> str:
        return "simulated"


def run_suspended[T](work: Callable[[], Awaitable[T]], chance: Chance, suspensions: Sequence[float], limit: float) -> T:
    """The result of the work; raises TimeoutError if it takes longer than `limit` in simulated seconds."""

    async def limited() -> T:
        async with asyncio.timeout(limit):
            return await work()

    with asyncio.Runner(loop_factory=lambda: SuspendedLoop(chance, suspensions)) as runner:
        return runner.run(limited())
