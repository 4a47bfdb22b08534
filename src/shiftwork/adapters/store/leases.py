"""Leases in a SQL database; heartbeats use the database's own clock."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from shiftwork.adapters.store.sql.database import Database, insert, now
from shiftwork.adapters.store.sql.tables import leases as table
from shiftwork.adapters.store.sql.view_columns import lease
from shiftwork.ports.views import Lease, Owner

_EPOCHS_A_SECOND: Final = 1000


class SqlLeases:
    """See `ports.store.Leases`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._now = now(database.dialect)
        # From the clock, so that an epoch is not used again after the resource was free for a while.
        self._epoch = sa.cast(self._now * _EPOCHS_A_SECOND, sa.BigInteger)

    async def acquire(
        self, resource: str, owner: Owner, *, replacing: Owner | None = None, older_than: float = 0.0
    ) -> Lease | None:
        held = {**_columns(owner), "heartbeat_at": self._now}
        mine = _held_by(owner)
        later = sa.case((self._epoch > table.c.epoch, self._epoch), else_=table.c.epoch + 1)
        statement = (
            insert(self._database.dialect, table)
            .values(resource=resource, **held, epoch=self._epoch)
            .on_conflict_do_update(
                index_elements=["resource"],
                set_={**held, "epoch": sa.case((mine, table.c.epoch), else_=later)},
                where=mine if replacing is None else sa.or_(mine, self._gives_way(replacing, older_than)),
            )
            .returning(table.c.resource)
        )
        query = self._leases().where(table.c.resource == resource)

        def act(connection: sa.Connection) -> Lease | None:
            if replacing is not None and connection.dialect.name == "postgresql":
                # Waits for writes of current holders; see `events`. SQLite has only one writer.
                connection.exec_driver_sql("LOCK TABLE leases IN EXCLUSIVE MODE")
            while True:
                if connection.execute(statement).first() is not None:
                    return None
                row = connection.execute(query).first()
                if row is not None:
                    return _lease(row)
                # On Postgres the holder may release the lease between the two statements: then the resource is free.

        return await self._database.write(act)

    def _gives_way(self, holder: Owner, older_than: float) -> sa.ColumnElement[bool]:
        held = _held_by(holder)
        return sa.and_(held, self._now - table.c.heartbeat_at > older_than) if older_than else held

    async def renew(self, owner: Owner) -> Mapping[str, int]:
        heartbeat = sa.update(table).where(_held_by(owner)).values(heartbeat_at=self._now)
        statement = heartbeat.returning(table.c.resource, table.c.epoch)
        return await self._database.write(
            lambda connection: {row.resource: row.epoch for row in sorted(connection.execute(statement))}
        )

    async def leave(self, owner: Owner) -> None:
        statement = sa.update(table).where(_held_by(owner)).values(heartbeat_at=0.0)
        await self._database.write(lambda connection: connection.execute(statement))

    async def release(self, resource: str, owner: Owner) -> None:
        statement = sa.delete(table).where(table.c.resource == resource, _held_by(owner))
        await self._database.write(lambda connection: connection.execute(statement))

    async def holders(self) -> Sequence[Lease]:
        def act(connection: sa.Connection) -> list[Lease]:
            # Sorted here because databases differ in how they order text.
            return sorted((_lease(row) for row in connection.execute(self._leases())), key=lambda held: held.resource)

        return await self._database.read(act)

    def _leases(self) -> sa.Select[Any]:
        return sa.select(table, (self._now - table.c.heartbeat_at).label("age"))


def _columns(owner: Owner) -> dict[str, Any]:
    return {"executor": owner.executor, "host": owner.host, "pid": owner.pid, "pid_started": owner.pid_started}


def _held_by(owner: Owner) -> sa.ColumnElement[bool]:
    return sa.and_(*(table.c[name] == value for name, value in _columns(owner).items()))


def _lease(row: sa.Row[Any]) -> Lease:
    owner = Owner(executor=row.executor, host=row.host, pid=row.pid, pid_started=row.pid_started)
    return lease(row.resource, owner, row.age)
