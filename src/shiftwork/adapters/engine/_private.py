"""Every private call into DBOS, in one place: features of the library without a public name.

The minor version is pinned, and `tests/conformance/engine/test_dbos_contract.py` tests each of these.
"""
# ruff: noqa: SLF001 - this file exists to hold the private calls

import threading
from typing import Any, Final

from dbos import DBOS
from dbos._serialization import DefaultSerializer

from shiftwork.errors import StoreError

_CLAIM_SECONDS: Final = 3.0


def refuse_pickles() -> None:
    """Prevents that pickles are written or read, whatever serializer DBOS uses: DBOS trusts the format that a row
    names, so anyone who can write a row could make us run any code. Shiftwork never pickles anything.
    """
    for name in ("serialize", "deserialize"):
        setattr(DefaultSerializer, name, _refused)


def _refused(_: object, __: object) -> Any:
    raise StoreError(
        "the engine's tables have a pickled value, which is never read: shiftwork writes none",
        hint="drop the schema dbos of that database, then: shiftwork resume; the history rebuilds it",
    )


def stop_polling(dbos: DBOS) -> None:
    """For an engine without a queue, after the launch: its threads would query the database several times a second."""
    for stop in (*dbos.background_thread_stop_events, dbos._workflow_timeout_stop_event):
        stop.set()


def stop_claiming(dbos: DBOS, queue: str) -> None:
    """Returns when this process claims no more jobs from the queue: a claim while DBOS closes would be lost."""
    stop_polling(dbos)
    for thread in threading.enumerate():
        if thread.name == f"queue-worker-{queue}":
            thread.join(_CLAIM_SECONDS)


def recording(dbos: DBOS) -> bool:
    """Whether a job of this process has ended and its end is not stored yet, or has not ended."""
    return any(not task.done() for task in tuple(dbos._workflow_tasks))


def give_up(dbos: DBOS) -> None:
    """Makes calls that wait for an unreachable database raise: DBOS would retry forever and keep the process alive."""
    if dbos._sys_db_field is not None:
        dbos._sys_db_field._retry_connection_errors = False
