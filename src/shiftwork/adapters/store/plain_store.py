"""The history and the inboxes in plain SQL, for commands that send a message: without SQLAlchemy, which takes longer to
load than such a command works.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any, Final

from shiftwork.adapters.store.reader.queries import Fetch
from shiftwork.adapters.store.reader.reader import open_fetch
from shiftwork.adapters.store.reader.stored_facts import SqlHistory
from shiftwork.adapters.store.sql.dialect import POSTING, POSTING_AFTER, sqlite_file
from shiftwork.adapters.store.sql.schema_version import HEAD, VERSION_TABLE
from shiftwork.adapters.store.written_ahead import BUSY_SECONDS, SAFE, write_ahead
from shiftwork.adapters.unanswered import STATEMENT_SECONDS
from shiftwork.domain.core.ids import Stream
from shiftwork.errors import StoreError
from shiftwork.ports.store import History, Message, MessageBox
from shiftwork.records import dataclass

_LIMIT: Final = {"sqlite": "0", "postgresql": f"set_config('statement_timeout', '{STATEMENT_SECONDS}s', false)"}
"""The server ends a statement of the connection after this time; SQLite has its own limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainStore:
    """What a command needs to send a message and to see what came of it; it need not be closed."""

    history: History
    inbox: MessageBox


async def open_plain_store(url: str) -> PlainStore:
    """Opens the same addresses as `open_store`, and uses that to create a database or to upgrade its schema. Raises
    StoreError when the database cannot be reached or was made by a newer release.
    """
    file, fetch = sqlite_file(url), open_fetch(url)
    dialect = "postgresql" if file is None else "sqlite"
    query = f"SELECT version_num, {_LIMIT[dialect]} AS limited FROM {VERSION_TABLE}"  # noqa: S608 - fixed words
    if [row["version_num"] for row in await fetch(query, ())] != [HEAD]:
        from shiftwork.adapters.store.open import open_store  # noqa: PLC0415 - slow to load, and rarely needed

        open_store(url).close()
    write = fetch if file is None else _sqlite_write(url, file)
    return PlainStore(history=SqlHistory(fetch), inbox=PlainInbox(fetch, write, dialect))


class PlainInbox:
    """See `ports.store.MessageBox`. A post is a single message to the database, and so a transaction of its own."""

    def __init__(self, fetch: Fetch, write: Fetch, dialect: str) -> None:
        self._fetch = fetch
        self._write = write
        self._dialect = dialect

    async def post(self, target: Stream, key: str, body: dict[str, Any], *, after: int | None = None) -> bool:
        values = (target, key, json.dumps(body, separators=(",", ":")))
        if after is None:
            return bool(await self._write(POSTING[self._dialect], values))
        return bool(await self._write(POSTING_AFTER[self._dialect], (*values, target, after)))

    async def posted(self, target: Stream, key: str) -> bool:
        return bool(await self._fetch('SELECT position FROM inbox WHERE target = ? AND "key" = ?', (target, key)))

    async def receive(self, target: Stream, *, after: int) -> Sequence[Message]:
        query = 'SELECT position, "key", body FROM inbox WHERE target = ? AND position > ? ORDER BY position'
        return [
            Message(position=row["position"], key=row["key"], body=json.loads(row["body"]))
            for row in await self._fetch(query, (target, after))
        ]


def _sqlite_write(url: str, file: str) -> Fetch:
    async def write(statement: str, parameters: tuple[Any, ...]) -> Sequence[Mapping[str, Any]]:
        try:
            with closing(sqlite3.connect(file, isolation_level=None, timeout=BUSY_SECONDS)) as connection:
                write_ahead(connection)
                connection.execute(SAFE).close()
                added = connection.execute(statement, parameters).fetchall()
        except sqlite3.Error as error:
            hint = "check that its folder is writable and has free space"
            raise StoreError(f"the database {url} failed: {error}", hint=hint) from error
        return [{"position": position} for (position,) in added]

    return write
