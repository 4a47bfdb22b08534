"""The in-memory engine: the same guarantees as the durable engine, while its `InlineMemory` exists. For tests."""

import asyncio
import json
from collections.abc import Awaitable
from contextvars import Context
from dataclasses import dataclass, field
from enum import StrEnum

from shiftwork.adapters.engine._replay import Act, cancelled_itself, other_code
from shiftwork.ports.engine import Bodies, Job, Json

# Longer than any clean-up takes: in a process that runs more tests, leftovers of a closed engine would disturb them.
_GRACE_SECONDS = 60.0
_LOOK_SECONDS = 0.01


class Ended(StrEnum):
    """How a job ended."""

    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A completed act: its result as JSON text."""

    name: str
    result: str


@dataclass(slots=True, kw_only=True)
class Record:
    """A stored job: `executor` is the process that works on it, `checkpoints` are by their position."""

    job: Job
    executor: str
    ended: Ended | None = None
    error: Exception | None = None
    checkpoints: dict[int, Checkpoint] = field(default_factory=dict)


class InlineMemory:
    """What outlives an engine, in place of a database."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}


class InlineEngine:
    def __init__(self, bodies: Bodies, *, executor: str = "inline", memory: InlineMemory | None = None) -> None:
        self._bodies = bodies
        self._executor = executor
        self._memory = InlineMemory() if memory is None else memory
        self._running: dict[str, asyncio.Task[None]] = {}
        self._acts: dict[str, set[asyncio.Future[Json]]] = {}
        self._closed = False

    async def start(self, job: Job) -> None:
        self._check_open()
        if job.kind not in self._bodies:
            raise LookupError(f"no body for jobs of the kind {job.kind!r}")
        if job.id not in self._memory.records:
            self._memory.records[job.id] = Record(job=job, executor=self._executor)
            self._run(self._memory.records[job.id])

    async def join(self, job: Job) -> None:
        self._check_open()
        record = self._memory.records.get(job.id)
        if record is None:
            raise LookupError(f"no job is called {job.id!r}")
        while (here := self._running.get(job.id)) is not None or record.ended is None:
            await (asyncio.wait({here}) if here is not None else asyncio.sleep(_LOOK_SECONDS))
            self._check_open()
        if record.error is not None:
            raise record.error

    async def recover(self, executor: str) -> None:
        self._check_open()
        if executor == self._executor:
            raise ValueError(f"{executor} is this executor, and it is not dead")
        for record in self._memory.records.values():
            if record.executor == executor and record.ended is None:
                record.executor = self._executor
                self._run(record)

    async def cancel(self, job: Job) -> None:
        self._check_open()
        record = self._memory.records.get(job.id)
        if record is not None and record.ended is None:
            record.ended = Ended.CANCELLED
            for act in self._acts.get(job.id, ()):
                act.cancel()

    async def close(self) -> None:
        self._closed = True
        tasks = tuple(self._running.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_GRACE_SECONDS)

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("the engine is closed")

    def _run(self, record: Record) -> None:
        name = record.job.id
        self._running[name] = task = asyncio.get_running_loop().create_task(self._work(record), context=Context())
        task.add_done_callback(lambda _: self._running.pop(name))

    async def _work(self, record: Record) -> None:
        error: Exception | None = None
        try:
            await self._bodies[record.job.kind](record.job, _InlineCheckpoints(self, record))
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise  # by `close`, or by a loop that is torn down
            error = cancelled_itself(record.job)
        except Exception as raised:  # noqa: BLE001 - it is kept for callers of `join`
            error = raised
        if self.owns(record):
            record.ended, record.error = (Ended.FAILED if error else Ended.DONE), error

    def owns(self, record: Record) -> bool:
        return not self._closed and record.ended is None and record.executor == self._executor

    async def interruptible(self, job: str, act: Act) -> Json:
        task = asyncio.ensure_future(act())
        acts = self._acts.setdefault(job, set())
        acts.add(task)
        try:
            return await task
        finally:
            acts.discard(task)


class _InlineCheckpoints:
    def __init__(self, engine: InlineEngine, record: Record) -> None:
        self._engine = engine
        self._record = record
        self._place = 0

    async def once(self, name: str, act: Act, *, preemptible: bool = False) -> Json:
        self._stop_if_lost()
        place, self._place = self._place, self._place + 1
        checkpoint = self._record.checkpoints.get(place)
        if checkpoint is None:
            return await self._perform(
                place, name, self._engine.interruptible(self._record.job.id, act) if preemptible else act()
            )
        if checkpoint.name != name:
            raise other_code(self._record.job, name)
        return json.loads(checkpoint.result)

    async def _perform(self, place: int, name: str, acting: Awaitable[Json]) -> Json:
        try:
            result = await acting
            checkpoint = Checkpoint(name=name, result=json.dumps(result))
        except Exception:
            self._stop_if_lost()
            raise
        self._stop_if_lost()
        self._record.checkpoints[place] = checkpoint
        return result

    def _stop_if_lost(self) -> None:
        if not self._engine.owns(self._record):
            raise asyncio.CancelledError
