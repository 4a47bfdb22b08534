"""Every private call into DBOS, in one place: features of the library without a public name.

The minor version is pinned, and `tests/conformance/engine/test_dbos_contract.py` tests each of these.
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
    """Prevents that pickles are written or read, whatever serializer DBOS uses: DBOS trusts the format that a row
    names, so anyone who can write a row could make us run any code. Shiftwork never pickles anything.
    """
    for name in ("serialize", "deserialize"):
        setattr(DefaultSerializer, name, _refused)


def _refused(_: object, __: object) -> Any:
    raise StoreError(
        "the engine's database has a pickled value, which is never read: shiftwork writes none",
        hint="move engine.db out of the state folder, then: shiftwork resume; the history rebuilds it",
    )


def settle(dbos: DBOS) -> None:
    """Called after the launch: runs recovered jobs on the calling loop, and stops everything that polls the database.

    Queues and schedules are not used. If they kept running, the queue thread of any other process would take the jobs
    that this process recovers, and every idle process would lock a SQLite file several times a second.
    """
    dbos._background_event_loop.set_main_loop()
    for stop in (*dbos.background_thread_stop_events, dbos._workflow_timeout_stop_event):
        stop.set()


def give_up(dbos: DBOS) -> None:
    """Makes calls that wait for an unreachable database raise: DBOS would retry forever and keep the process alive."""
    if dbos._sys_db_field is not None:
        dbos._sys_db_field._retry_connection_errors = False


def running(dbos: DBOS) -> set[asyncio.Task[Any]]:
    """Returns the tasks of all jobs that run in this process."""
    return set(dbos._workflow_tasks)


def task_of(handle: WorkflowHandleAsync[None]) -> asyncio.Future[None] | None:
    """Returns a future that is done when the job ends, if this call started the job; None if it existed before."""
    return handle.task if isinstance(handle, WorkflowHandleAsyncTask) else None


def take_over(dbos: DBOS, dead: str) -> None:
    """Runs the unfinished jobs of a dead executor on our loop; must not be called from the loop's own thread.

    Two steps, each safe alone: the dead executor's jobs are returned to the queue, then all queued jobs are claimed,
    which exactly one caller can do. So a caller that dies between the two loses nothing. The public `resume_workflows`
    is no alternative: called late, it takes a job away from its living owner.
    """
    dbos._recover_pending_workflows([dead])
    owner = generate_uuid()
    claimed, _ = dbos._sys_db.start_queued_workflows(
        dbos._registry.get_internal_queue(), GlobalParams.executor_id, GlobalParams.app_version, None, owner_xid=owner
    )
    for status in dbos._sys_db.get_workflow_statuses(claimed):
        execute_dequeued_workflow(dbos, status, owner)
