"""Starts jobs of this process when they are due; one timer of the event loop for all of them."""

import asyncio
from collections.abc import Callable
from typing import Final

from shiftwork.ports.clock import Clock
from shiftwork.ports.engine import Job

LOOK_SECONDS: Final = 20.0
"""After the machine has slept, a job that is due starts within this time."""


class Timers:
    """Starts jobs when they are due: by the clock, which continues while the machine sleeps, or by the elapsed time,
    which is right if the clock is set back meanwhile.
    """

    def __init__(self, start: Callable[[Job], object], clock: Clock) -> None:
        self._start = start
        self._clock = clock
        self._due: dict[Job, tuple[float, float]] = {}
        self._next: asyncio.TimerHandle | None = None

    def set(self, job: Job, seconds: float) -> None:
        self._due[job] = (self._clock.now() + seconds, self._clock.elapsed() + seconds)
        self._schedule()

    def drop(self, job: Job) -> None:
        self._due.pop(job, None)

    def close(self) -> None:
        self._due.clear()
        self._schedule()

    def _left(self, job: Job) -> float:
        at, elapsed = self._due[job]
        return min(at - self._clock.now(), elapsed - self._clock.elapsed())

    def _schedule(self) -> None:
        if self._next is not None:
            self._next.cancel()
        self._next = None
        if self._due:
            seconds = min(LOOK_SECONDS, *(max(0.0, self._left(job)) for job in self._due))
            self._next = asyncio.get_running_loop().call_later(seconds, self._start_due)

    def _start_due(self) -> None:
        for job in [job for job in self._due if self._left(job) <= 0]:
            self.drop(job)
            self._start(job)
        self._schedule()
