"""What both engines say when a job is replayed and does not do what it did before."""

from collections.abc import Awaitable, Callable

from shiftwork.errors import ShiftworkError
from shiftwork.ports.engine import Job, Json

type Act = Callable[[], Awaitable[Json]]


def other_code(job: Job, name: str) -> ShiftworkError:
    return ShiftworkError(
        f"the job {job.id} was begun by other code than now goes on with it: no place for {name!r}",
        hint="start it again under a new id",
    )


def cancelled_itself(job: Job) -> ShiftworkError:
    """For a cancellation that came from nowhere: left alone it would look like a job that is still at work."""
    return ShiftworkError(f"the job {job.id} cancelled itself")
