"""Messages to the owners of streams, in a SQL database."""

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from shiftwork.adapters.store.inbox_watcher import InboxWatcher
from shiftwork.adapters.store.sql.database import Database
from shiftwork.adapters.store.sql.dialect import POSTING, POSTING_AFTER, UNREAD
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


class SqlInbox:
    """See `ports.store.Inbox`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        place = "?" if database.dialect == "sqlite" else "%s"
        self._posting = POSTING[database.dialect].replace("?", place)
        self._posting_after = POSTING_AFTER[database.dialect].replace("?", place)
        self._unread = UNREAD[database.dialect].replace("?", place)
        self._wake_ups = WakeUps()
        self._posted = Prepared(_POSTED, database.language)
        self._received = Prepared(_RECEIVED, database.language)
        self._watcher = InboxWatcher(database.engine, self._wake_ups)

    async def post(self, target: Stream, key: str, body: dict[str, Any], *, after: int | None = None) -> bool:
        values = (target, key, json.dumps(body, separators=(",", ":")))

        def act(connection: sa.Connection) -> int:
            if after is None:
                return int(connection.exec_driver_sql(self._posting, values).scalar() or 0)
            return self._post_after(connection, (*values, target, after))

        position = await self._database.statement(act)
        if position:
            self._watcher.posted_here(position, target)
        return position > 0

    def _post_after(self, connection: sa.Connection, values: tuple[str | int, ...]) -> int:
        if self._database.dialect == "sqlite":
            return int(connection.exec_driver_sql(self._posting_after, values).scalar() or 0)
        from psycopg import ClientCursor  # noqa: PLC0415 - a laptop never loads it

        # The server accepts several statements in one message only without parameters.
        driver: Any = connection.connection.driver_connection
        text = ClientCursor(driver).mogrify(self._posting_after, values)
        cursor = connection.exec_driver_sql(text, execution_options={"no_parameters": True}).cursor
        cursor.nextset()
        row = cursor.fetchone()
        return int(row[0]) if row else 0

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

    async def wait(self, target: Stream, *, after: int, seconds: float | None = None) -> Sequence[Message]:
        with self._watcher.wanted():
            return await first_messages(self._wake_ups, target, lambda: self.receive(target, after=after), seconds)

    async def unread(self, cursors: Mapping[Stream, int]) -> frozenset[Stream]:
        asked = (json.dumps(cursors),)
        rows = await self._database.read(lambda connection: connection.exec_driver_sql(self._unread, asked).all())
        return frozenset(Stream(row[0]) for row in rows)

    @contextlib.contextmanager
    def listen(self, woken: Callable[[Stream], None]) -> Iterator[None]:
        with self._wake_ups.listening(woken), self._watcher.wanted():
            yield

    def close(self) -> None:
        self._watcher.close()
