"""Every private call into DBOS, in one place: what the library can do and has no public name for.

The minor version is pinned, and `tests/conformance/engine/test_dbos_contract.py` holds each of these.
"""
# ruff: noqa: SLF001 - this file exists to hold the private calls

import asyncio
from typing import Any

from dbos import DBOS, WorkflowHandleAsync
from dbos._core import WorkflowHandleAsyncTask, execute_dequeued_workflow
from dbos._serialization import DefaultSerializer
from dbos._utils import GlobalParams, generate_uuid

from shiftwork.errors import StoreError


def refuse_pickles() -> None:
    """Let no pickle be made or read, whatever serializer DBOS was given: it obeys what a row says of itself, and who
    can write one would have us run any code. Nothing of ours is ever pickled.
    """
    for name in ("serialize", "deserialize"):
        setattr(DefaultSerializer, name, _refused)


def _refused(_: object, __: object) -> Any:
    raise StoreError(
        "the engine's database has a pickled value, which is never read: shiftwork writes none",
        hint="move engine.db out of the state folder, then: shiftwork resume; the history makes it again",
    )


def settle(dbos: DBOS) -> None:
    """After the launch: run recovered jobs on the calling loop, and let nothing poll the database.

    Queues and schedules are not used. Left running, the queue thread of any other process would take the jobs that
    this one recovers, and every idle process would lock a SQLite file several times a second.
    """
    dbos._background_event_loop.set_main_loop()
    for stop in (*dbos.background_thread_stop_events, dbos._workflow_timeout_stop_event):
        stop.set()


def give_up(dbos: DBOS) -> None:
    """Have whatever waits for a database that cannot be reached raise instead: DBOS would try for ever, and the process
    could not end meanwhile.
    """
    if dbos._sys_db_field is not None:
        dbos._sys_db_field._retry_connection_errors = False


def running(dbos: DBOS) -> set[asyncio.Task[Any]]:
    """The tasks of all jobs that run in this process."""
    return set(dbos._workflow_tasks)


def task_of(handle: WorkflowHandleAsync[None]) -> asyncio.Future[None] | None:
    """What is done when the job has ended, if this very call began it; None if the job was there before."""
    return handle.task if isinstance(handle, WorkflowHandleAsyncTask) else None


def take_over(dbos: DBOS, dead: str) -> None:
    """Run the unfinished jobs of a dead executor on our loop; call from a thread that is not the loop's.

    Two steps, each safe alone: the jobs are put back, under a predicate on the dead executor's id, then whatever lies
    there is claimed, which exactly one caller can. So one that dies between the two loses nothing.
    The public `resume_workflows` is no alternative: called late, it takes a job away from its living owner.
    """
    dbos._recover_pending_workflows([dead])
    owner = generate_uuid()
    claimed, _ = dbos._sys_db.start_queued_workflows(
        dbos._registry.get_internal_queue(), GlobalParams.executor_id, GlobalParams.app_version, None, owner_xid=owner
    )
    for status in dbos._sys_db.get_workflow_statuses(claimed):
        execute_dequeued_workflow(dbos, status, owner)
