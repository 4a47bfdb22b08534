"""Streams of facts in a SQL database, written in the same transaction as their views."""

import copy
import json
from collections.abc import Iterator, Sequence
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from shiftwork.adapters.store.sql.database import Database, Insert, insert
from shiftwork.adapters.store.sql.prepared_statement import Prepared
from shiftwork.adapters.store.sql.tables import facts as table
from shiftwork.adapters.store.sql.tables import leases, view_tables
from shiftwork.adapters.store.sql.view_columns import VIEWS, identity, row_of, values
from shiftwork.domain.codec import decode, encode
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.errors import LeaseLostError, StoreError, VersionConflictError
from shiftwork.ports.store import Fence, Kinds, Recorded
from shiftwork.ports.views import Row, SnapshotRow

_COLUMNS = (table.c.stream, table.c.version, table.c.key, table.c.kind, table.c.schema_version, table.c.body)


# Statements are built once: building a statement takes longer than running it.
_STREAM = table.c.stream == sa.bindparam("stream")
_KEY = table.c.key == sa.bindparam("key")
_AFTER = sa.select(*_COLUMNS).where(_STREAM, table.c.version > sa.bindparam("after")).order_by(table.c.version)
_UPTO = _AFTER.where(table.c.version <= sa.bindparam("upto"))
_INSERT = sa.insert(table).values(
    {column.name: sa.bindparam(column.name) for column in table.c if column.name != "position"}
)

VERSION = sa.select(sa.func.coalesce(sa.func.max(table.c.version), 0)).where(_STREAM)
# By ordinal, not max(version): for max(version), Postgres may scan the stream backwards to find the key.
HELD = sa.select(table.c.version).where(_STREAM, _KEY).order_by(table.c.ordinal.desc()).limit(1)
# Both in one statement, and so at the same moment: between two statements, our own commit could look like another's.
_BEFORE = sa.select(VERSION.scalar_subquery(), HELD.scalar_subquery())
# The same, but only while the writer still holds its lease: a writer that has lost it gets no row. On Postgres the last
# condition locks no row, but locks the table against takeovers until the transaction ends, and does so before the
# statement reads. Rejected: a lock on the row, which cost eight concurrent streams a quarter of their speed.
_any_lease = leases.alias("any_lease")
_HOLDING = _BEFORE.select_from(leases).where(
    *(leases.c[name] == sa.bindparam(name) for name in ("resource", "executor", "epoch")),
    ~sa.select(_any_lease.c.resource).where(sa.false()).with_for_update(read=True, key_share=True).exists(),
)

_snapshots = view_tables[SnapshotRow]
_SNAPSHOT = sa.select(_snapshots).where(_snapshots.c.stream == sa.bindparam("stream"))


class SqlEventStore:
    """See `ports.store.EventStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        language = database.language
        self.fence: Fence | None = None
        self._before = Prepared(_BEFORE, language)
        self._holding = Prepared(_HOLDING, language)
        self._insert = Prepared(_INSERT, language)
        self._version = Prepared(VERSION, language)
        self._after = Prepared(_AFTER, language)
        self._upto = Prepared(_UPTO, language)
        self._upserts = {row: Prepared(_upsert(database.dialect, row), language) for row in VIEWS}

    def under(self, fence: Fence) -> Self:
        fenced = copy.copy(self)
        fenced.fence = fence
        return fenced

    async def append(
        self, stream: Stream, facts: Sequence[Fact], *, expected: int, key: str, rows: Sequence[Row] = ()
    ) -> int:
        def act(connection: sa.Connection) -> int:
            current, held = self._look(connection, stream, key)
            if held is not None:
                return int(held)
            if current != expected:
                raise VersionConflictError(f"stream {stream} is at version {current}, not at {expected}")
            if facts:
                self._insert.run_all(connection, list(_records(stream, facts, expected, key)))
            self._write_rows(connection, rows)
            return expected + len(facts)

        try:
            return await self._database.write(act)
        except StoreError as failure:
            if not isinstance(failure.__cause__, IntegrityError):
                raise
            # Another writer committed an insert between our query and our insert. A second try finds out whether that
            # was the same key (then it returns the key's version) or another write (then it raises a conflict).
            return await self._database.write(act)

    def _look(self, connection: sa.Connection, stream: Stream, key: str) -> tuple[int, int | None]:
        """The stream's version, and the version of the key if the stream has it."""
        asked = {"stream": stream, "key": key}
        if self.fence is None:
            found = self._before.first(connection, asked)
        else:
            fence = {name: getattr(self.fence, name) for name in ("resource", "executor", "epoch")}
            found = self._holding.first(connection, asked | fence)
        if found is None:
            raise LeaseLostError(f"the lease for writing {stream} now belongs to another process")
        current, held = found
        return current, held

    def _write_rows(self, connection: sa.Connection, rows: Sequence[Row]) -> None:
        latest = {(type(row), identity(row)): row for row in rows}
        for kind, upsert in self._upserts.items():
            # In the order of identities, so that two transactions with the same rows do not deadlock.
            ordered = sorted((place, row) for (row_kind, place), row in latest.items() if row_kind is kind)
            if ordered:
                upsert.run_all(connection, [values(row) for _, row in ordered])

    async def read(
        self, stream: Stream, *, after: int = 0, upto: int | None = None, kinds: Kinds = (), naming: str = ""
    ) -> Sequence[Recorded]:
        asked = {"stream": stream, "after": after, "upto": upto}
        if kinds or naming:
            return await self._database.read(lambda connection: _recorded(_some(connection, asked, kinds, naming)))
        query = self._after if upto is None else self._upto
        return await self._database.read(lambda connection: _recorded(query.all(connection, asked)))

    async def version(self, stream: Stream) -> int:
        def act(connection: sa.Connection) -> int:
            found = self._version.first(connection, {"stream": stream})
            return int(found[0]) if found else 0

        return await self._database.read(act)

    async def snapshot(self, stream: Stream) -> SnapshotRow | None:
        def act(connection: sa.Connection) -> SnapshotRow | None:
            found = connection.execute(_SNAPSHOT, {"stream": stream}).mappings().first()
            return None if found is None else row_of(SnapshotRow, {**found})

        return await self._database.read(act)


def _some(connection: sa.Connection, asked: dict[str, Any], kinds: Kinds, naming: str) -> Sequence[tuple[Any, ...]]:
    query = _AFTER if asked["upto"] is None else _UPTO
    if kinds:
        query = query.where(table.c.kind.in_([kind.__name__ for kind in kinds]))
    if naming:
        query = query.where(table.c.body.like(f"%{naming}%"))
    return [tuple(row) for row in connection.execute(query, asked)]


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
            # Plain ASCII: an agent's text may contain characters that databases reject, such as NUL.
            "body": json.dumps(encoded.body, separators=(",", ":")),
            "at": fact.at,
        }


def _recorded(rows: Sequence[tuple[Any, ...]]) -> list[Recorded]:
    return [
        Recorded(stream=Stream(stream), version=version, key=key, fact=decode(kind, schema, json.loads(body)))
        for stream, version, key, kind, schema, body in rows
    ]
