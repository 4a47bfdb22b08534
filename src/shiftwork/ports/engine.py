"""The durable engine: jobs started once, that outlive their process and remember their checkpoints."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

type Json = Any
"""What a checkpoint may remember: plain JSON values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A piece of durable work: `kind` chooses the body, `stream` is what it works on. One id is one job, for ever."""

    id: str
    kind: str
    stream: str


class Checkpoints(Protocol):
    """What a running job is given."""

    async def once(self, name: str, act: Callable[[], Awaitable[Json]], *, preemptible: bool = False) -> Json:
        """Do `act` and remember its result under `name`: a job that is replayed gets the remembered result.

        At least once: dying inside `act`, or after it and before the result is remembered, runs it again. Names must
        come in the same order on every replay. A preemptible act is interrupted when its job is cancelled.
        What `act` raises is raised here and not remembered: a replay does it again, because whatever was in the way may
        be gone by then. When the job is to go no further here (cancelled, taken over by another, the engine closes)
        this raises CancelledError.
        """
        ...


type Body = Callable[[Job, Checkpoints], Awaitable[None]]
type Bodies = Mapping[str, Body]


class Engine(Protocol):
    """Where jobs run. The engine is a cache: everything it remembers can be rebuilt from the history."""

    async def start(self, job: Job) -> None:
        """Begin the job in this process; a second call with the same id, from anyone, changes nothing.

        May be called from inside another job or from outside.
        """
        ...

    async def join(self, job: Job) -> None:
        """Return when the job has ended; raise what it raised. An unknown job raises LookupError.

        A cancelled job has ended and raised nothing. What happened in another process is raised as ShiftworkError.
        """
        ...

    async def recover(self, executor: str) -> None:
        """Go on here with every unfinished job of an executor that is known to be dead; calling twice is harmless."""
        ...

    async def cancel(self, job: Job) -> None:
        """Interrupt the job's preemptible act, if it is in one, and let the job go no further."""
        ...

    async def close(self) -> None:
        """Stop taking work and let go of the database; unfinished jobs stay unfinished, for `recover`."""
        ...
