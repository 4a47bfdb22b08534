"""The engine of one process: jobs run in it, and end with it. The history is what continues them.

One user on one machine needs no more: a process that resumes a run reads its history and starts the unfinished jobs.
"""

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.engine._jobs import Jobs
from shiftwork.adapters.engine._timers import Timers
from shiftwork.ports.clock import Clock
from shiftwork.ports.engine import Bodies, Job


class InProcessEngine:
    """See `ports.engine.Engine`; on one event loop."""

    def __init__(self, bodies: Bodies, *, clock: Clock | None = None) -> None:
        self._jobs = Jobs(bodies)
        self._timers = Timers(self._jobs.start, clock or SystemClock())

    async def start(self, job: Job) -> None:
        self._jobs.check(job)
        self._timers.drop(job)
        self._jobs.start(job)

    async def start_later(self, job: Job, seconds: float) -> None:
        self._jobs.check(job)
        self._jobs.expect(job)
        self._timers.set(job, seconds)

    async def join(self, job: Job) -> None:
        await self._jobs.join(job)

    async def recover(self, executor: str) -> None:  # noqa: ARG002 - one shape for all
        """The jobs of a dead process have died with it: the history has what is unfinished."""
        self._jobs.check_open()

    async def cancel(self, job: Job) -> None:
        self._jobs.check_open()
        self._timers.drop(job)
        await self._jobs.cancel(job)

    async def close(self) -> None:
        self._timers.close()
        await self._jobs.close()
