"""Messages to the owners of streams, in a SQL database."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import sqlalchemy as sa

from shiftwork.adapters.store.sql.database import Database, insert
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
        self._wake_ups = WakeUps()
        statement = insert(database.dialect, table).values(
            {name: sa.bindparam(name) for name in ("target", "key", "body")}
        )
        self._post = Prepared(statement.on_conflict_do_nothing(index_elements=["target", "key"]), database.language)
        self._posted = Prepared(_POSTED, database.language)
        self._received = Prepared(_RECEIVED, database.language)

    async def post(self, target: Stream, key: str, body: dict[str, Any]) -> None:
        values = {"target": target, "key": key, "body": json.dumps(body, separators=(",", ":"))}

        def act(connection: sa.Connection) -> None:
            if connection.dialect.name == "postgresql":
                # One post at a time for each target: if a lower position became visible after a higher position, a
                # reader whose cursor is past it would never see that message. SQLite has only one writer.
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(target, 0))))
            self._post.run_all(connection, [values])

        await self._database.write(act)
        self._wake_ups.wake(target)

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

    def listen(self, woken: Callable[[Stream], None]) -> AbstractContextManager[None]:
        return self._wake_ups.listen(woken)

    async def wait(self, target: Stream, *, after: int) -> Sequence[Message]:
        return await first_messages(self._wake_ups, target, lambda: self.receive(target, after=after))
