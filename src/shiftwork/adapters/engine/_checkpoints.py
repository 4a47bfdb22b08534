"""What a job on DBOS gets: its checkpoints, each a DBOS step, and a way to interrupt its current act."""

import asyncio
from collections import defaultdict

from dbos import DBOS
from dbos import error as dbos_errors

from shiftwork.adapters.engine._replay import Act, other_code
from shiftwork.errors import ShiftworkError
from shiftwork.ports.engine import Job, Json


def torn_down() -> bool:
    """Whether the current task is being cancelled: a job by `close`, or by an event loop that ends without it."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def storable(error: Exception) -> Exception:
    """Returns the error, or an equivalent in characters that a database accepts: agents may print invalid UTF-8."""
    text = str(error)
    clean = text.encode(errors="backslashreplace").decode()
    return error if clean == text else ShiftworkError(f"{type(error).__name__}: {clean}")


class Acts:
    """The preemptible acts in progress in this process, by job.

    DBOS can preempt too, but queries once a second for every act: 200 waiting jobs would be 200 queries a second.
    """

    def __init__(self) -> None:
        self._tasks: defaultdict[str, set[asyncio.Future[Json]]] = defaultdict(set)
        self._interrupted: set[asyncio.Future[Json]] = set()

    def jobs(self) -> list[str]:
        return list(self._tasks)

    def interrupt(self, job: str) -> None:
        for task in self._tasks.get(job, ()):
            self._interrupted.add(task)
            task.cancel()

    async def perform(self, job: str, act: Act) -> Json:
        """Performs the act; raises DBOS's own signal if it was interrupted, so that no result is stored."""
        task = asyncio.ensure_future(act())
        self._tasks[job].add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if task in self._interrupted:
                raise dbos_errors.DBOSWorkflowCancelledError(f"{job} was interrupted") from None
            raise
        finally:
            self._interrupted.discard(task)
            self._tasks[job].discard(task)
            if not self._tasks[job]:
                del self._tasks[job]


class DbosCheckpoints:
    """Once the engine closes, or the job was cancelled or taken over, every checkpoint raises CancelledError."""

    def __init__(self, job: Job, acts: Acts, closing: asyncio.Event) -> None:
        self._job = job
        self._acts = acts
        self._closing = closing
        self.stopped: dbos_errors.DBOSBaseException | None = None

    async def once(self, name: str, act: Act, *, preemptible: bool = False) -> Json:
        failures: list[Exception] = []

        async def step() -> Json:
            try:
                return await (self._acts.perform(self._job.id, act) if preemptible else act())
            except Exception as error:
                # Errors in an act's clean-up are not reported while the engine closes.
                if self._closing.is_set() or torn_down():
                    raise asyncio.CancelledError from error
                failures.append(error)
                # DBOS stores what a step raises, except for this signal of its own.
                raise dbos_errors.DBOSWorkflowCancelledError(f"{name} has failed") from error

        if self._closing.is_set():
            raise asyncio.CancelledError
        try:
            return await DBOS.run_step_async({"name": name}, step)
        except dbos_errors.DBOSBaseException as stopped:
            if not failures:
                self.stopped = stopped
                raise asyncio.CancelledError(str(stopped)) from stopped
        except dbos_errors.DBOSUnexpectedStepError as error:
            raise other_code(self._job, name) from error
        raise failures[0]
