"""The views as front ends read them: without SQLAlchemy and without an event loop, because `status` must start fast."""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from shiftwork.adapters.store.dialects import sqlite_file, sqlite_uri
from shiftwork.adapters.store.queries import Fetch, SqlQueries, unreadable
from shiftwork.adapters.written_ahead import BUSY_SECONDS


def open_queries(url: str) -> SqlQueries:
    """The views of the database at an address. Nothing is made there; a database that does not exist reads as empty."""
    file = sqlite_file(url)
    if file is not None:
        return SqlQueries(_sqlite_fetch(file), "sqlite")
    from shiftwork.adapters.store import reader_postgres  # noqa: PLC0415 - a laptop never loads the Postgres driver

    return SqlQueries(reader_postgres.fetch(url), "postgresql")


def _sqlite_fetch(file: str) -> Fetch:
    async def fetch(query: str, parameters: tuple[Any, ...]) -> Sequence[tuple[Any, ...]]:
        # Tens of microseconds: a thread would cost more than the query.
        if not os.access(file, os.F_OK):
            return []
        try:
            with closing(sqlite3.connect(sqlite_uri(file), uri=True, timeout=BUSY_SECONDS)) as connection:
                return connection.execute(query, parameters).fetchall()
        except sqlite3.Error as error:
            if str(error).startswith("no such table"):
                return []
            raise unreadable(error) from error

    return fetch
