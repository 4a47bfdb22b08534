"""Who works on what, in a SQL database; signs of life are told by the database's own clock."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from shiftwork.adapters.store.engine import Database, insert, now
from shiftwork.adapters.store.tables import leases as table
from shiftwork.adapters.store.views import lease
from shiftwork.ports.views import Lease, Owner


class SqlLeases:
    """See `ports.store.Leases`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._now = now(database.dialect)

    async def acquire(self, resource: str, owner: Owner, *, replacing: Owner | None = None) -> Lease | None:
        held = {**_columns(owner), "beat_at": self._now}
        give_way = [_held_by(former) for former in (owner, replacing) if former is not None]
        statement = (
            insert(self._database.dialect, table)
            .values(resource=resource, **held)
            .on_conflict_do_update(index_elements=["resource"], set_=held, where=sa.or_(*give_way))
            .returning(table.c.resource)
        )
        query = self._leases().where(table.c.resource == resource)

        def act(connection: sa.Connection) -> Lease | None:
            while True:
                if connection.execute(statement).first() is not None:
                    return None
                row = connection.execute(query).first()
                if row is not None:
                    return _lease(row)
                # On Postgres the holder may let go between the two statements: then the resource is free to take.

        return await self._database.write(act)

    async def renew(self, owner: Owner) -> Sequence[str]:
        statement = sa.update(table).where(_held_by(owner)).values(beat_at=self._now).returning(table.c.resource)
        return await self._database.write(lambda connection: sorted(connection.scalars(statement)))

    async def release(self, resource: str, owner: Owner) -> None:
        statement = sa.delete(table).where(table.c.resource == resource, _held_by(owner))
        await self._database.write(lambda connection: connection.execute(statement))

    async def holders(self) -> Sequence[Lease]:
        def act(connection: sa.Connection) -> list[Lease]:
            # Sorted here: databases differ in how they order text.
            return sorted((_lease(row) for row in connection.execute(self._leases())), key=lambda held: held.resource)

        return await self._database.read(act)

    def _leases(self) -> sa.Select[Any]:
        return sa.select(table, (self._now - table.c.beat_at).label("age"))


def _columns(owner: Owner) -> dict[str, Any]:
    return {"executor": owner.executor, "host": owner.host, "pid": owner.pid, "pid_started": owner.pid_started}


def _held_by(owner: Owner) -> sa.ColumnElement[bool]:
    return sa.and_(*(table.c[name] == value for name, value in _columns(owner).items()))


def _lease(row: sa.Row[Any]) -> Lease:
    owner = Owner(executor=row.executor, host=row.host, pid=row.pid, pid_started=row.pid_started)
    return lease(row.resource, owner, row.age)
