"""Jobs on DBOS Transact and Postgres: for one process today, and for many that share a queue.

DBOS delivers the starts of jobs and remembers which process has which job. What a job does is in the history alone, so
no step is checkpointed. Bodies run on the event loop that opened the engine, in its thread, so that a child process
tied to the thread that spawned it lives as long as the loop. Only DBOS's own reads and writes use other threads.
"""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import Context
from typing import Any, ClassVar, Final

from dbos import DBOS, SetEnqueueOptions, SetWorkflowID, WorkflowStatus
from dbos import WorkflowStatusString as Status
from dbos import error as dbos_errors
from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.engine import _private
from shiftwork.adapters.engine._database import DbosSettings, configuration, silence
from shiftwork.adapters.engine._jobs import Jobs
from shiftwork.adapters.engine._timers import Timers
from shiftwork.errors import ShiftworkError, StoreError
from shiftwork.ports.engine import Bodies, Job

__all__ = ["DbosEngine", "DbosSettings"]

_WORKFLOW: Final = "shiftwork.job"
_JOIN_SECONDS: Final = 1.0
_STORE_LOOKS: Final = 30
_STORE_LOOK_SECONDS: Final = 0.05
_HAND_BACK_SECONDS: Final = 3.0  # without its queue's database a process must still end
_UNFINISHED: Final = [Status.PENDING.value, Status.ENQUEUED.value, Status.DELAYED.value]


@contextmanager
def _as_store_error(url: str) -> Iterator[None]:
    """Raises StoreError with the database's own message, without what its library adds."""
    try:
        yield
    except (SQLAlchemyError, dbos_errors.DBOSException) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        raise StoreError(
            f"the engine's database {make_url(url).render_as_string(hide_password=True)} cannot be opened:"
            f" {str(cause).strip()}",
            hint="check that the server is running and the address is correct",
        ) from error


class DbosEngine:
    """Only one per process, because DBOS is a process-wide singleton; on one event loop from `open` to `close`."""

    _opened: ClassVar["DbosEngine | None"] = None

    def __init__(self, settings: DbosSettings, bodies: Bodies) -> None:
        self._settings = settings
        self._jobs = Jobs(bodies)
        self._timers = Timers(lambda job: self._outside(self.start(job)), SystemClock())
        self._delayed: dict[Job, str] = {}  # the workflow that starts the job later, if there is a queue
        self._closing = False
        self._loop = asyncio.get_running_loop()
        self._calls: set[asyncio.Task[Any]] = set()
        self._dbos = DBOS(config=configuration(settings))
        if settings.queue:
            DBOS.listen_queues([settings.queue])

        # DBOS would give up a job after a hundred recoveries; our jobs must survive any number of crashes.
        @DBOS.workflow(name=_WORKFLOW, max_recovery_attempts=None)
        async def work(kind: str, stream: str) -> bool:
            """DBOS may call this on a loop of its own."""
            running = asyncio.run_coroutine_threadsafe(self._run(Job(kind=kind, stream=stream)), self._loop)
            return await asyncio.wrap_future(running)

        self._workflow = work

    @classmethod
    async def open(cls, settings: DbosSettings, bodies: Bodies) -> "DbosEngine":
        """Launches the engine on the running loop; raises StoreError if its database cannot be opened."""
        if DbosEngine._opened is not None:
            raise RuntimeError("a process has one DBOS engine: close the other one first")
        silence()
        _private.refuse_pickles()
        with _as_store_error(settings.url):
            DbosEngine._opened = engine = cls(settings, bodies)
            try:
                await asyncio.to_thread(engine._launch)
            except BaseException:
                await engine.close()  # a half-launched singleton would block the next
                raise
        return engine

    def _launch(self) -> None:
        DBOS.launch()
        if not self._settings.queue:
            _private.stop_polling(self._dbos)
            return
        DBOS.register_queue(
            self._settings.queue,
            partition_concurrency=1,  # a job runs in one process at a time: its stream is its partition
            worker_concurrency=self._settings.limit,
            polling_interval_sec=self._settings.poll_seconds,
            on_conflict="always_update",
        )

    async def start(self, job: Job) -> None:
        self._jobs.check(job)
        self._timers.drop(job)
        if self._jobs.runs(job):
            self._jobs.start(job)
            return
        self._jobs.expect(job)
        # A caller that is cancelled half-way must not leave a job that exists but does not run.
        await asyncio.shield(self._outside(self._start(job)))

    async def start_later(self, job: Job, seconds: float) -> None:
        self._jobs.check(job)
        self._jobs.expect(job)
        if not self._settings.queue:
            self._timers.set(job, seconds)
        else:
            await asyncio.shield(self._outside(self._start(job, seconds)))

    async def join(self, job: Job) -> None:
        while not await self._jobs.ended(job, _JOIN_SECONDS):
            if self._settings.queue:
                await self._outside(self._look(job))
        await self._jobs.join(job)

    async def recover(self, executor: str) -> None:
        self._jobs.check_open()
        if executor == self._settings.executor:
            raise ValueError(f"{executor} is this executor, and it is not dead")
        await self._outside(self._recover(executor))

    async def cancel(self, job: Job) -> None:
        self._jobs.check_open()
        self._timers.drop(job)
        await self._outside(self._forget(job))
        await self._jobs.cancel(job)

    async def close(self) -> None:
        if DbosEngine._opened is not self:
            return
        self._closing = True
        self._timers.close()
        _private.give_up(self._dbos)
        if self._settings.queue:
            await asyncio.to_thread(_private.stop_claiming, self._dbos, self._settings.queue)
        await self._jobs.close()
        for _ in range(_STORE_LOOKS):  # what has ended is stored, so that nobody recovers it
            if not _private.recording(self._dbos):
                break
            await asyncio.sleep(_STORE_LOOK_SECONDS)
        if self._settings.queue:
            await asyncio.wait({self._outside(self._hand_back())}, timeout=_HAND_BACK_SECONDS)
        await self._jobs.stop(self._calls)
        # DBOS made its own pool the loop's default, and closes it when it is destroyed.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True)
        DbosEngine._opened = None

    def _outside[T](self, call: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Makes a call outside any job's context: DBOS would count it as a step of that job."""
        task = self._loop.create_task(call, context=Context())
        self._calls.add(task)
        task.add_done_callback(self._made)
        return task

    def _made(self, call: "asyncio.Task[Any]") -> None:
        self._calls.discard(call)
        if not call.cancelled():
            call.exception()  # the caller may be gone, and asyncio would log an unretrieved exception

    async def _start(self, job: Job, seconds: float | None = None) -> None:
        earlier = self._delayed.pop(job, None)
        name = f"{job.stream}#{SystemClock().fresh()}"
        with SetWorkflowID(name):
            if not self._settings.queue:
                await DBOS.start_workflow_async(self._workflow, job.kind, job.stream)
                return
            with SetEnqueueOptions(queue_partition_key=job.stream, delay_seconds=seconds):
                await DBOS.enqueue_workflow_async(self._settings.queue, self._workflow, job.kind, job.stream)
        if seconds is not None:
            self._delayed[job] = name
        if earlier is not None:
            await DBOS.cancel_workflow_async(earlier)

    async def _run(self, job: Job) -> bool:
        """The body of every workflow; returns whether the job has finished. If the engine closes, or the job is
        cancelled, no result is stored.
        """
        if self._closing:
            raise asyncio.CancelledError
        running = self._jobs.start(job)
        await asyncio.wait({running})
        if running.cancelled() or self._jobs.left(job):
            raise asyncio.CancelledError
        if (failure := self._jobs.failure(job)) is not None:
            raise _storable(failure)
        return not self._jobs.unfinished(job)

    async def _look(self, job: Job) -> None:
        """Finds the end of a job that another process runs."""
        rows = await self._rows(job, load_output=True)
        if rows and not any(row.status in _UNFINISHED for row in rows) and not self._jobs.runs(job):
            [*_, last] = rows
            if last.error is not None:
                self._jobs.fail(job, ShiftworkError(f"{getattr(last.error, 'name', 'error')}: {last.error}"))
            elif last.output:
                self._jobs.end(job)

    async def _recover(self, dead: str) -> None:
        rows = await self._claimed(dead)
        for job in filter(self._jobs.knows, map(_job_of, rows)):
            await self.start(job)
        await self._cancel_rows(rows)

    async def _hand_back(self) -> None:
        """Enqueues what this process leaves unfinished, so that another one starts it."""
        rows = await self._claimed(self._settings.executor)
        for job in filter(self._jobs.knows, map(_job_of, rows)):
            await self._start(job)
        await self._cancel_rows(rows)

    async def _claimed(self, executor: str) -> Sequence[WorkflowStatus]:
        return await DBOS.list_workflows_async(
            executor_id=executor, status=Status.PENDING.value, app_version=self._settings.version, name=_WORKFLOW
        )

    async def _forget(self, job: Job) -> None:
        self._delayed.pop(job, None)
        await self._cancel_rows([row for row in await self._rows(job) if row.status in _UNFINISHED])

    async def _rows(self, job: Job, *, load_output: bool = False) -> Sequence[WorkflowStatus]:
        return await DBOS.list_workflows_async(
            workflow_id_prefix=f"{job.stream}#", load_input=False, load_output=load_output
        )

    async def _cancel_rows(self, rows: Sequence[WorkflowStatus]) -> None:
        if rows:
            await DBOS.cancel_workflows_async([row.workflow_id for row in rows])


def _job_of(row: WorkflowStatus) -> Job:
    """The job of a stored workflow; one of no kind if it was not stored by this code."""
    match row.input:
        case {"args": [str(kind), str(stream)]}:
            return Job(kind=kind, stream=stream)
        case _:
            return Job(kind="", stream="")


def _storable(error: Exception) -> Exception:
    """Returns the error, or an equivalent in characters that a database accepts: agents may print invalid UTF-8."""
    text = str(error)
    clean = text.encode(errors="backslashreplace").decode().replace("\0", "\\x00")
    return error if clean == text else ShiftworkError(f"{type(error).__name__}: {clean}")
