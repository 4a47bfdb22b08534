"""The durable engine: jobs start once, survive their process and remember their checkpoints."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

type Json = Any
"""What a checkpoint may store: plain JSON values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A durable job: `kind` selects the body, `stream` is what it works on. An id always means the same job."""

    id: str
    kind: str
    stream: str


class Checkpoints(Protocol):
    """Passed to a running job."""

    async def once(self, name: str, act: Callable[[], Awaitable[Json]], *, preemptible: bool = False) -> Json:
        """Run `act` and store its result under `name`: a replayed job gets the stored result.

        At least once: if the process dies inside `act`, or before the result is stored, `act` runs again. Names must
        come in the same order on every replay. A preemptible act is interrupted when its job is cancelled.

        An exception from `act` is raised here and not stored: a replay runs it again, because the cause may have gone
        by then. When the job must not continue here (cancelled, taken over by another process, the engine closes) this
        raises CancelledError.
        """
        ...


type Body = Callable[[Job, Checkpoints], Awaitable[None]]
type Bodies = Mapping[str, Body]


class Engine(Protocol):
    """Runs jobs. The engine is a cache: everything it stores can be rebuilt from the history."""

    async def start(self, job: Job) -> None:
        """Start the job in this process; a second call with the same id, from any process, changes nothing.

        May be called from inside another job or from outside.
        """
        ...

    async def join(self, job: Job) -> None:
        """Return when the job has ended; raise what it raised. An unknown job raises LookupError.

        A cancelled job has ended and raised nothing. A failure in another process is raised as ShiftworkError.
        """
        ...

    async def recover(self, executor: str) -> None:
        """Continue every unfinished job of an executor that is known to be dead; calling twice is harmless."""
        ...

    async def cancel(self, job: Job) -> None:
        """Interrupt the job's preemptible act, if one is running, and stop the job."""
        ...

    async def close(self) -> None:
        """Stop accepting work and close the database; unfinished jobs stay unfinished, for `recover`."""
        ...
