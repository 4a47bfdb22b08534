"""Removes archived runs from a SQL database."""

from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa

from shiftwork.adapters.store.event_store import VERSION
from shiftwork.adapters.store.sql.database import Database
from shiftwork.adapters.store.sql.tables import facts, inbox, leases, view_tables
from shiftwork.adapters.store.sql.view_columns import values
from shiftwork.domain.core.ids import RunId, Stream, run_stream
from shiftwork.errors import LeaseLostError, VersionConflictError
from shiftwork.ports.store import Fence
from shiftwork.ports.views import AttemptRow, RunRow, SpentRow, StepRow, StoryRow, WaitedRow

REMOVED: Final = (StoryRow, StepRow, SpentRow, WaitedRow, AttemptRow)
"""The rows that only an archived run itself is shown with."""

_RUNS: Final = view_tables[RunRow]


class SqlRetention:
    """See `ports.store.Retention`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def remove(self, archived: RunRow, versions: Mapping[Stream, int], messages: int, fence: Fence) -> None:
        def act(connection: sa.Connection) -> None:
            _check_lease(connection, fence)
            _check_messages(connection, run_stream(RunId(archived.run)), messages)
            for stream, version in versions.items():
                current = connection.scalar(VERSION, {"stream": stream})
                if current != version:
                    raise VersionConflictError(f"stream {stream} is at version {current}, not at {version}")
                connection.execute(sa.delete(facts).where(facts.c.stream == stream))
                connection.execute(sa.delete(inbox).where(inbox.c.target == stream))
            for kind in REMOVED:
                table = view_tables[kind]
                connection.execute(sa.delete(table).where(table.c.run == archived.run))
            connection.execute(sa.update(_RUNS).where(_RUNS.c.run == archived.run).values(values(archived)))

        await self._database.write(act)


def _check_messages(connection: sa.Connection, stream: Stream, known: int) -> None:
    later = sa.select(inbox.c.position).where(inbox.c.target == stream, inbox.c.position > known)
    if connection.scalar(later.limit(1)) is not None:
        raise VersionConflictError(f"{stream} has received a request meanwhile")


def _check_lease(connection: sa.Connection, fence: Fence) -> None:
    """The lock on the lease keeps others from taking it over until the transaction ends."""
    wanted = {"resource": fence.resource, "executor": fence.executor, "epoch": fence.epoch}
    held = sa.select(leases.c.resource).where(*(leases.c[name] == value for name, value in wanted.items()))
    if connection.scalar(held.with_for_update()) is None:
        raise LeaseLostError(f"the lease for archiving {fence.resource} now belongs to another process")
