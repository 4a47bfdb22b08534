"""The errors that both engines raise when a replayed job does not do what it did before."""

from collections.abc import Awaitable, Callable

from shiftwork.errors import ShiftworkError
from shiftwork.ports.engine import Job, Json

type Act = Callable[[], Awaitable[Json]]


def other_code(job: Job, name: str) -> ShiftworkError:
    return ShiftworkError(
        f"the job {job.id} was started by a different version of the code: no checkpoint for {name!r}",
        hint="start it again under a new id",
    )


def cancelled_itself(job: Job) -> ShiftworkError:
    """For a cancellation without a known source: otherwise the job would seem to be still running."""
    return ShiftworkError(f"the job {job.id} cancelled itself")
