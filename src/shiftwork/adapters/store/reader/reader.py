"""The views for front ends: without SQLAlchemy and without an event loop, because `status` must start fast."""

import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from typing import Any

from shiftwork.adapters.store.reader.queries import Fetch, SqlQueries, unreadable
from shiftwork.adapters.store.reader.read_only_sqlite import check_unchanged, readable
from shiftwork.adapters.store.sql.dialect import sqlite_file
from shiftwork.adapters.store.written_ahead import BUSY_SECONDS
from shiftwork.errors import StoreError


def open_queries(url: str, project: str | None = None, *, patience: float = 0.0, keeping: bool = False) -> SqlQueries:
    """The views of the database at an address, for one project or for all. Creates nothing. A database that does not
    exist reads as empty; so does, for a project, a database from before projects were recorded. If a Postgres server
    cannot be reached, queries retry for `patience` seconds. With `keeping`, all queries use one connection to a SQLite
    file, which ends with the views.
    """
    dialect = "postgresql" if sqlite_file(url) is None else "sqlite"
    return SqlQueries(open_fetch(url, patience=patience, keeping=keeping), dialect, project)


def open_fetch(url: str, *, patience: float = 0.0, keeping: bool = False) -> Fetch:
    """How to query the database at an address; see `open_queries`."""
    file = sqlite_file(url)
    if file is not None:
        return _sqlite_fetch(file, keeping=keeping)
    from shiftwork.adapters.store.reader import postgres_reader  # noqa: PLC0415 - a laptop never loads the Postgres driver

    return postgres_reader.fetch(url, patience)


def no_queries() -> SqlQueries:
    """Views without a database: always empty."""

    async def fetch(_: str, __: tuple[Any, ...]) -> Sequence[Mapping[str, Any]]:
        return []

    return SqlQueries(fetch, "sqlite", None)


def _sqlite_fetch(file: str, *, keeping: bool) -> Fetch:
    kept: dict[str, sqlite3.Connection] = {}

    async def fetch(query: str, parameters: tuple[Any, ...]) -> Sequence[Mapping[str, Any]]:
        # Takes tens of microseconds: a thread would cost more than the query.
        if not os.access(file, os.F_OK):
            return []
        try:
            address, mark = readable(file)
            connection = kept.get(address) or sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS)
            if keeping:
                kept[address] = connection
            with nullcontext(connection) if keeping else closing(connection):
                found = connection.execute(query, parameters)
                names = [name for name, *_ in found.description]
                rows = [dict(zip(names, row, strict=True)) for row in found]
            check_unchanged(file, mark)
        except sqlite3.Error as error:
            if str(error).startswith(("no such table", "no such column: project")):
                return []
            raise _untold(file, error) from error
        return rows

    return fetch


def _untold(file: str, error: sqlite3.Error) -> StoreError:
    if os.access(file, os.R_OK):
        return unreadable(error)
    return StoreError(f"{file} cannot be read: permission denied", hint=f"check its permissions: ls -l {file}")
