"""The engine: starts jobs, at once or later, and continues those of dead processes."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The work on one stream of the history: `kind` selects the body. Each stream has one job."""

    kind: str
    stream: str


type Body = Callable[[Job], Awaitable[bool]]
"""Works until there is nothing to do; returns whether the job has finished. A job that has not finished waits: it does
not run, and occupies nothing, until it is started again.

A body may be interrupted anywhere, and run again from its start: the history makes each of its effects happen once.
"""

type Bodies = Mapping[str, Body]


class Engine(Protocol):
    """Runs jobs. The engine is a cache: everything it stores can be rebuilt from the history."""

    async def start(self, job: Job) -> None:
        """Run the job soon. If it is running, it runs once more afterwards: what it is started for may have come too
        late for it. However often it is started meanwhile, it runs once more.
        """
        ...

    async def start_later(self, job: Job, seconds: float) -> None:
        """Start the job after that time, unless it is started before; replaces the time of an earlier call."""
        ...

    async def join(self, job: Job) -> None:
        """Return when the job has finished, or was cancelled; raise what it raised. A job that was never started here
        has nothing to wait for. A failure in another process is raised as ShiftworkError.
        """
        ...

    async def recover(self, executor: str) -> None:
        """Start the unfinished jobs of a process that is known to be dead, as far as this engine stored them; calling
        twice is harmless.
        """
        ...

    async def cancel(self, job: Job) -> None:
        """Interrupt the job if it runs here, and forget every start of it; a later start runs it again."""
        ...

    async def close(self) -> None:
        """Interrupt all jobs and accept no more; unfinished jobs stay unfinished."""
        ...
