"""Durable jobs on DBOS Transact: SQLite on a laptop, Postgres in a fleet.

Job bodies and their acts run on the event loop that opened the engine, in its thread, so that a child process tied to
the thread that spawned it lives as long as the loop. Only DBOS's own reads and writes use other threads.
"""

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import Context
from typing import Any, ClassVar, Final

from dbos import DBOS, SetWorkflowID, WorkflowStatus
from dbos import WorkflowStatusString as Status
from dbos import error as dbos_errors
from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from shiftwork.adapters.engine import _private
from shiftwork.adapters.engine._checkpoints import Acts, DbosCheckpoints, storable, torn_down
from shiftwork.adapters.engine._database import DbosSettings, configuration, silence, tuned_sqlite
from shiftwork.adapters.engine._replay import cancelled_itself
from shiftwork.errors import ShiftworkError, StoreError
from shiftwork.ports.engine import Bodies, Job

__all__ = ["DbosEngine", "DbosSettings"]

_WORKFLOW: Final = "shiftwork.work"
_CLOSED: Final = "the engine is closed"
# How long the acts of unfinished jobs get to clean up when the engine closes: 1.5 seconds in which they can really run.
# Counted in looks, because a suspended process suspends its acts, too.
_GRACE_LOOKS: Final = 30
_GRACE_LOOK_SECONDS: Final = 0.05
_WATCH_SECONDS: Final = 1.0
_FIRST_LOOK_SECONDS: Final = 0.02
_UNFINISHED: Final = (Status.PENDING.value, Status.ENQUEUED.value, Status.DELAYED.value)


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
            hint="check that its folder is writable and has free space"
            if url.startswith("sqlite")
            else "check that the server is running and the address is correct",
        ) from error


class DbosEngine:
    """Only one per process, because DBOS is a process-wide singleton; on one event loop from `open` to `close`."""

    _opened: ClassVar["DbosEngine | None"] = None

    def __init__(self, settings: DbosSettings, bodies: Bodies) -> None:
        self._settings = settings
        self._bodies = bodies
        self._acts = Acts()
        self._closing = asyncio.Event()
        self._running: dict[str, asyncio.Future[None]] = {}
        self._failures: dict[str, Exception] = {}
        self._calls: set[asyncio.Task[Any]] = set()
        self._sqlite = tuned_sqlite(settings.url) if settings.url.startswith("sqlite") else None
        self._dbos = DBOS(config=configuration(settings, self._sqlite))

        # DBOS would give up a job after a hundred recoveries; our jobs must survive any number of crashes.
        @DBOS.workflow(name=_WORKFLOW, max_recovery_attempts=None)
        async def work(kind: str, stream: str) -> None:
            await self._work(Job(id=DBOS.workflow_id or "", kind=kind, stream=stream))

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
                await asyncio.to_thread(DBOS.launch)
            except BaseException:
                await engine.close()  # a half-launched singleton would block the next
                raise
        _private.settle(engine._dbos)
        engine._outside(engine._watch())
        return engine

    async def start(self, job: Job) -> None:
        self._check_open()
        if job.kind not in self._bodies:
            raise LookupError(f"no body for jobs of the kind {job.kind!r}")
        if job.id not in self._running:
            # A caller that is cancelled half-way must not leave a job that exists but does not run.
            await asyncio.shield(self._outside(self._start(job)))

    async def join(self, job: Job) -> None:
        self._check_open()
        call = self._outside(self._join(job))
        try:
            await call
        except asyncio.CancelledError:
            if torn_down():
                raise
            raise RuntimeError(_CLOSED) from None

    async def recover(self, executor: str) -> None:
        self._check_open()
        if executor == self._settings.executor:
            raise ValueError(f"{executor} is this executor, and it is not dead")
        await self._outside(asyncio.to_thread(_private.take_over, self._dbos, executor))

    async def cancel(self, job: Job) -> None:
        self._check_open()
        await self._outside(DBOS.cancel_workflow_async(job.id))
        self._acts.interrupt(job.id)

    async def close(self) -> None:
        if DbosEngine._opened is not self:
            return
        self._closing.set()
        _private.give_up(self._dbos)
        await self._stop_tasks()
        # DBOS made its own pool the loop's default, and closes it when it is destroyed.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True)
        if self._sqlite is not None:
            self._sqlite.dispose()
        DbosEngine._opened = None

    def _check_open(self) -> None:
        if self._closing.is_set():
            raise RuntimeError(_CLOSED)

    def _outside(self, call: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Makes a call outside any job's context: DBOS forbids some calls in a step, and counts others as steps."""
        task = asyncio.get_running_loop().create_task(call, context=Context())
        self._calls.add(task)
        task.add_done_callback(self._made)
        return task

    def _made(self, call: asyncio.Task[None]) -> None:
        self._calls.discard(call)
        if not call.cancelled():
            call.exception()  # the caller may be gone, and asyncio would log an unretrieved exception

    async def _start(self, job: Job) -> None:
        with SetWorkflowID(job.id):
            handle = await DBOS.start_workflow_async(self._workflow, job.kind, job.stream)
        task = _private.task_of(handle)
        if task is not None:
            self._follow(job.id, task)

    def _follow(self, job: str, task: asyncio.Future[None]) -> None:
        def forget(_: asyncio.Future[None]) -> None:
            if self._running.get(job) is task:
                del self._running[job]

        self._running[job] = task
        task.add_done_callback(forget)

    async def _join(self, job: Job) -> None:
        pause = _FIRST_LOOK_SECONDS
        while True:
            if (task := self._running.get(job.id)) is not None:
                await asyncio.wait({task})
            row = await DBOS.get_workflow_status_async(job.id)
            if row is None:
                raise LookupError(f"no job is called {job.id!r}")
            if row.status not in _UNFINISHED:
                return self._raise_failure(row)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _WATCH_SECONDS)

    def _raise_failure(self, row: WorkflowStatus) -> None:
        """Raises what an ended job raised: the same error if it happened here, its text if in another process."""
        if row.error is not None:
            failure = self._failures.get(row.workflow_id)
            raise failure or ShiftworkError(f"{getattr(row.error, 'name', 'error')}: {row.error}")

    async def _watch(self) -> None:
        """Interrupts the acts of jobs that another process cancelled, or took over because it considered us dead."""
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            if jobs := self._acts.jobs():
                with suppress(SQLAlchemyError, dbos_errors.DBOSException):
                    for row in await DBOS.list_workflows_async(workflow_ids=jobs, load_input=False, load_output=False):
                        if row.status != Status.PENDING.value or row.executor_id != self._settings.executor:
                            self._acts.interrupt(row.workflow_id)

    async def _work(self, job: Job) -> None:
        """The body of every workflow. A job stopped from outside records no result, so that it can be recovered."""
        task = asyncio.current_task()
        if task is not None and job.id not in self._running:
            self._follow(job.id, task)
        checkpoints = DbosCheckpoints(job, self._acts, self._closing)
        failure: Exception | None = None
        try:
            await self._bodies[job.kind](job, checkpoints)
        except asyncio.CancelledError as error:
            failure = cancelled_itself(job)
            failure.__cause__ = error
        except Exception as error:  # noqa: BLE001 - raised again below, unless the job was stopped from outside
            failure = error
        if self._closing.is_set() or torn_down():
            raise asyncio.CancelledError from failure
        if checkpoints.stopped is not None:
            raise checkpoints.stopped
        if failure is not None:
            self._failures[job.id] = failure
            raise storable(failure)

    async def _stop_tasks(self) -> None:
        """Cancels what runs, and what starts meanwhile, and waits for the clean-up until the grace period is over."""
        cancelled: set[asyncio.Task[Any]] = set()
        for _ in range(_GRACE_LOOKS):
            left = self._calls | _private.running(self._dbos)
            if not left:
                return
            for task in left - cancelled:
                task.cancel()
            cancelled |= left
            await asyncio.wait(left, timeout=_GRACE_LOOK_SECONDS)
