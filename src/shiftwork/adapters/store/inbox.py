"""Messages to the owners of streams, in a SQL database."""

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from shiftwork.adapters.store.inbox_watcher import CHANNEL, InboxWatcher
from shiftwork.adapters.store.sql.database import Database
from shiftwork.adapters.store.sql.prepared_statement import Prepared
from shiftwork.adapters.store.sql.tables import inbox as table
from shiftwork.adapters.store.wakeup import WakeUps, first_messages
from shiftwork.domain.core.ids import Stream
from shiftwork.ports.store import Message

# Compiled once, as the statements of `event_store`: every step looks for messages.
_TARGET = table.c.target == sa.bindparam("target")
_POSTED = sa.select(table.c.position).where(_TARGET, table.c.key == sa.bindparam("key"))
_RECEIVED = (
    sa.select(table.c.position, table.c.key, table.c.body)
    .where(_TARGET, table.c.position > sa.bindparam("after"))
    .order_by(table.c.position)
)
# One post at a time: if a lower position became visible after a higher position, a reader whose cursor is past it would
# never see that message. SQLite has only one writer. On Postgres, a notification makes commits wait for each other
# anyway; as a transaction of a single statement, it holds the lock for little longer than the commit.
_LOCK: Final = (0x5317, 2)
_ORDER: Final = sa.select(sa.func.pg_advisory_xact_lock(*_LOCK)).cte("ordered")


def _posting(dialect: str) -> sa.Select[tuple[int, Any]] | sa.Insert:
    """Adds a message once, and returns its position, nothing if it was there; on Postgres it notifies all processes."""
    values = [sa.bindparam(name, type_=sa.Text) for name in ("target", "key", "body")]
    names, once = ["target", "key", "body"], ["target", "key"]
    if dialect == "sqlite":
        added = sqlite.insert(table).values(dict(zip(names, values, strict=True)))
        return added.on_conflict_do_nothing(index_elements=once).returning(table.c.position)
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - a laptop never loads it

    ordered = postgresql.insert(table).from_select(names, sa.select(*values).select_from(_ORDER))
    posted = ordered.on_conflict_do_nothing(index_elements=once).returning(table.c.position).cte("posted")
    return sa.select(posted.c.position, sa.func.pg_notify(CHANNEL, ""))


class SqlInbox:
    """See `ports.store.Inbox`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._posting = _posting(database.dialect)
        self._wake_ups = WakeUps()
        self._posted = Prepared(_POSTED, database.language)
        self._received = Prepared(_RECEIVED, database.language)
        self._watcher = InboxWatcher(database.engine, self._wake_ups)

    async def post(self, target: Stream, key: str, body: dict[str, Any]) -> None:
        values = {"target": target, "key": key, "body": json.dumps(body, separators=(",", ":"))}

        def act(connection: sa.Connection) -> int:
            return int(connection.scalar(self._posting, values) or 0)

        if position := await self._database.statement(act):
            self._watcher.posted_here(position, target)

    async def posted(self, target: Stream, key: str) -> bool:
        asked = {"target": target, "key": key}
        return await self._database.read(lambda connection: self._posted.first(connection, asked) is not None)

    async def receive(self, target: Stream, *, after: int) -> Sequence[Message]:
        asked = {"target": target, "after": after}

        def act(connection: sa.Connection) -> list[Message]:
            return [
                Message(position=position, key=key, body=json.loads(body))
                for position, key, body in self._received.all(connection, asked)
            ]

        return await self._database.read(act)

    async def wait(self, target: Stream, *, after: int) -> Sequence[Message]:
        with self._watcher.wanted():
            return await first_messages(self._wake_ups, target, lambda: self.receive(target, after=after))

    @contextlib.contextmanager
    def listen(self, woken: Callable[[Stream], None]) -> Iterator[None]:
        with self._wake_ups.listening(woken), self._watcher.wanted():
            yield

    def close(self) -> None:
        self._watcher.close()
