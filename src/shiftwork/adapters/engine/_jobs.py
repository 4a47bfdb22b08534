"""Runs jobs on one event loop: each once at a time, and once more if it is started meanwhile."""

import asyncio
import contextlib
from contextvars import Context
from typing import Any, Final

from shiftwork.errors import ShiftworkError
from shiftwork.ports.engine import Bodies, Job

# How long interrupted jobs get to clean up when the engine closes: 1.5 seconds in which they can really run. Counted in
# looks, because a suspended process suspends its jobs, too.
_GRACE_LOOKS: Final = 30
_GRACE_LOOK_SECONDS: Final = 0.05


class Jobs:
    """`unfinished` has every job that was started here and has not finished: it runs, or waits to be started again."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self._running: dict[Job, asyncio.Task[None]] = {}
        self._again: set[Job] = set()
        self._unfinished: dict[Job, asyncio.Event] = {}
        self._failures: dict[Job, Exception] = {}
        self._closed = False

    def knows(self, job: Job) -> bool:
        return job.kind in self._bodies

    def check(self, job: Job) -> None:
        self.check_open()
        if not self.knows(job):
            raise LookupError(f"no body for jobs of the kind {job.kind!r}")

    def check_open(self) -> None:
        if self._closed:
            raise RuntimeError("the engine is closed")

    def runs(self, job: Job) -> bool:
        return job in self._running

    def expect(self, job: Job) -> None:
        """The job will be started, or start itself later: callers of `join` wait for it."""
        self._failures.pop(job, None)
        self._unfinished.setdefault(job, asyncio.Event())

    def unfinished(self, job: Job) -> bool:
        return job in self._unfinished

    def left(self, job: Job) -> bool:
        """Whether the engine was closed before the job has finished."""
        return self._closed and job in self._unfinished

    def failure(self, job: Job) -> Exception | None:
        return self._failures.get(job)

    def start(self, job: Job) -> "asyncio.Task[None]":
        """Returns the task that is done when the job rests: it has finished, or waits."""
        if (task := self._running.get(job)) is not None:
            self._again.add(job)
            return task
        self.expect(job)
        # A new context: a job must not inherit what its starter has set for itself.
        self._running[job] = task = asyncio.get_running_loop().create_task(self._work(job), context=Context())
        return task

    async def join(self, job: Job) -> None:
        while not await self.ended(job):
            pass
        if (failure := self._failures.get(job)) is not None:
            raise failure

    async def ended(self, job: Job, seconds: float | None = None) -> bool:
        """Waits until the job has ended, for at most that long; returns whether it has."""
        self.check_open()
        if (ended := self._unfinished.get(job)) is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await ended.wait()
        self.check_open()
        return job not in self._unfinished

    async def cancel(self, job: Job) -> None:
        self._again.discard(job)
        if (task := self._running.get(job)) is not None:
            await self.stop({task})
        self.end(job)

    async def close(self) -> None:
        self._closed = True
        await self.stop(set(self._running.values()))
        for ended in self._unfinished.values():
            ended.set()

    async def _work(self, job: Job) -> None:
        finished = True
        try:
            finished = await self._bodies[job.kind](job)
            while job in self._again and not self._closed:
                self._again.discard(job)
                finished = await self._bodies[job.kind](job)
        except asyncio.CancelledError as error:
            if _interrupted():
                finished = False
                raise
            failure = ShiftworkError(f"the job on {job.stream} cancelled itself")
            failure.__cause__ = error
            self._failures[job] = failure
        except Exception as error:  # noqa: BLE001 - kept for callers of `join`
            self._failures[job] = error
        finally:
            self._again.discard(job)
            del self._running[job]
            if finished:
                self.end(job)

    def fail(self, job: Job, failure: Exception) -> None:
        """Another process has reported that the job failed."""
        self._failures[job] = failure
        self.end(job)

    def end(self, job: Job) -> None:
        if not self._closed and (ended := self._unfinished.pop(job, None)) is not None:
            ended.set()

    async def stop(self, tasks: set[asyncio.Task[Any]]) -> None:
        """Cancels tasks, and waits for their clean-up until the grace period is over."""
        for task in tasks:
            task.cancel()
        for _ in range(_GRACE_LOOKS):
            if not (tasks := {task for task in tasks if not task.done()}):
                return
            await asyncio.wait(tasks, timeout=_GRACE_LOOK_SECONDS)


def _interrupted() -> bool:
    """Whether the current task is being cancelled, and has not raised that by itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
