"""Streams of facts in a SQL database, written together with the views of them."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from shiftwork.adapters.store.engine import Database, Insert, insert
from shiftwork.adapters.store.tables import facts as table
from shiftwork.adapters.store.tables import view_tables
from shiftwork.adapters.store.views import VIEWS, identity, values
from shiftwork.domain.model.codec import decode, encode
from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.ids import Stream
from shiftwork.errors import StoreError, VersionConflictError
from shiftwork.ports.store import Recorded
from shiftwork.ports.views import Row

_COLUMNS = (table.c.stream, table.c.version, table.c.key, table.c.kind, table.c.schema_version, table.c.body)


def version_of(stream: str) -> sa.Select[int]:
    return sa.select(sa.func.coalesce(sa.func.max(table.c.version), 0)).where(table.c.stream == stream)


def held_version(stream: str, key: str) -> sa.Select[int]:
    # By ordinal, not max(version): for that Postgres may walk the stream backwards in search of the key.
    held = sa.select(table.c.version).where(table.c.stream == stream, table.c.key == key)
    return held.order_by(table.c.ordinal.desc()).limit(1)


class SqlEventStore:
    """See `ports.store.EventStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._upserts = {row: _upsert(database.dialect, row) for row in VIEWS}

    async def append(
        self, stream: Stream, facts: Sequence[Fact], *, expected: int, key: str, rows: Sequence[Row] = ()
    ) -> int:
        def act(connection: sa.Connection) -> int:
            # The version before the key: a writer that commits between the two looks is then seen by the second, and
            # its append is not mistaken for another one's.
            current = connection.scalar(version_of(stream))
            held = connection.scalar(held_version(stream, key))
            if held is not None:
                return held
            if current != expected:
                raise VersionConflictError(f"stream {stream} is at version {current}, not at {expected}")
            if facts:
                connection.execute(sa.insert(table), list(_records(stream, facts, expected, key)))
            self._write_rows(connection, rows)
            return expected + len(facts)

        try:
            return await self._database.write(act)
        except StoreError as failure:
            if not isinstance(failure.__cause__, IntegrityError):
                raise
            # Somebody else inserted between our look and our insert, and has committed: looking again tells whether
            # that was the same key (then its version is the answer) or another writer (then this is a conflict).
            return await self._database.write(act)

    def _write_rows(self, connection: sa.Connection, rows: Sequence[Row]) -> None:
        latest = {(type(row), identity(row)): row for row in rows}
        for kind, upsert in self._upserts.items():
            # In the order of identities, so that two transactions with the same rows do not wait for each other.
            ordered = sorted((place, row) for (row_kind, place), row in latest.items() if row_kind is kind)
            if ordered:
                connection.execute(upsert, [values(row) for _, row in ordered])

    async def read(self, stream: Stream, *, after: int = 0, upto: int | None = None) -> Sequence[Recorded]:
        query = sa.select(*_COLUMNS).where(table.c.stream == stream, table.c.version > after)
        if upto is not None:
            query = query.where(table.c.version <= upto)
        return await self._database.read(lambda connection: _recorded(connection, query.order_by(table.c.version)))

    async def find(self, stream: Stream, key: str) -> Sequence[Recorded]:
        query = sa.select(*_COLUMNS).where(table.c.stream == stream, table.c.key == key).order_by(table.c.ordinal)
        return await self._database.read(lambda connection: _recorded(connection, query))

    async def version(self, stream: Stream) -> int:
        return await self._database.read(lambda connection: connection.scalar(version_of(stream)) or 0)


def _upsert(dialect: str, row: type[Row]) -> Insert:
    view = VIEWS[row]
    statement = insert(dialect, view_tables[row])
    replaced = {name: statement.excluded[name] for name in view.columns if name not in view.identity}
    return statement.on_conflict_do_update(index_elements=view.identity, set_=replaced)


def _records(stream: Stream, facts: Sequence[Fact], expected: int, key: str) -> Iterator[dict[str, Any]]:
    for ordinal, fact in enumerate(facts):
        encoded = encode(fact)
        yield {
            "stream": stream,
            "version": expected + 1 + ordinal,
            "key": key,
            "ordinal": ordinal,
            "kind": encoded.kind,
            "schema_version": encoded.version,
            # Plain ASCII: an agent's text may hold what a database's text may not, such as NUL.
            "body": json.dumps(encoded.body, separators=(",", ":")),
            "at": fact.at,
        }


def _recorded(connection: sa.Connection, query: sa.Select[Any]) -> list[Recorded]:
    return [
        Recorded(stream=Stream(stream), version=version, key=key, fact=decode(kind, schema, json.loads(body)))
        for stream, version, key, kind, schema, body in connection.execute(query)
    ]
