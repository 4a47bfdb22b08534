"""How `reader` queries a Postgres database; a separate module, because the driver takes long to load."""

import re
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final
from weakref import finalize

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row

from shiftwork.adapters.store.reader.queries import Fetch, unreadable
from shiftwork.adapters.unanswered import connecting
from shiftwork.errors import StoreError

_PORTS: Final = range(1, 65536)
_PAUSE_SECONDS: Final = 0.2


def misread(url: str) -> str:
    """What is wrong with an address, in the driver's words but without the quoted value; empty if it is valid."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        return re.split(r':? (?:in )?"(?!\]")', str(error).strip())[0]
    port = str(parts.get("port", "")).strip(",")  # with several hosts, some ports may be missing
    # The driver accepts an empty port as no port; SQLAlchemy, which opens the same address for writing, does not.
    unsaid = not port and not url.partition("://")[2].partition("/")[0].endswith(":")
    return "" if unsaid or (port.isdecimal() and int(port) in _PORTS) else "its port is not a number from 1 to 65535"


def fetch(url: str, patience: float = 0.0) -> Fetch:
    """Queries over one connection, which is opened by the first. If the server cannot be reached, they retry for
    `patience` seconds, in a thread; without patience they answer at once, and need no event loop.
    """
    kept = _Kept(make_conninfo(url, **connecting(conninfo_to_dict(url))))

    def query_in_time(query: str, parameters: tuple[Any, ...]) -> Sequence[Mapping[str, Any]]:
        deadline = time.monotonic() + patience
        while True:
            try:
                return kept.queried(query.replace("?", "%s"), parameters)
            except StoreError as error:
                if not isinstance(error.__cause__, psycopg.OperationalError) or time.monotonic() >= deadline:
                    raise
                time.sleep(_PAUSE_SECONDS)

    async def ask(query: str, parameters: tuple[Any, ...]) -> Sequence[Mapping[str, Any]]:
        if not patience:
            return query_in_time(query, parameters)
        import asyncio  # noqa: PLC0415 - a command that reads does not need it

        return await asyncio.to_thread(query_in_time, query, parameters)

    return ask


class _Kept:
    """A connection that is opened when it is needed, and again when it was lost. Threads share it: the driver runs
    their queries one after the other.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._changing = threading.Lock()
        self._open: list[psycopg.Connection[dict[str, Any]]] = []
        finalize(self, _close, self._open)

    def queried(self, query: str, parameters: tuple[Any, ...]) -> Sequence[Mapping[str, Any]]:
        try:
            return self._rows(query, parameters)
        except psycopg.errors.UndefinedTable:
            return []
        except psycopg.OperationalError as error:
            raise StoreError(
                f"the database cannot be reached: {str(error).strip()}",
                hint="check that the server is running and the address is correct",
            ) from error
        except psycopg.Error as error:
            if isinstance(error, psycopg.errors.UndefinedColumn) and str(error).startswith('column "project"'):
                return []
            raise unreadable(error) from error

    def _rows(self, query: str, parameters: tuple[Any, ...]) -> Sequence[Mapping[str, Any]]:
        connection, is_new = self._connection()
        try:
            return _rows_of(connection, query, parameters)
        except psycopg.OperationalError:
            self._lose(connection)
            if is_new:
                raise
        connection, _ = self._connection()
        return _rows_of(connection, query, parameters)

    def _connection(self) -> tuple[psycopg.Connection[dict[str, Any]], bool]:
        """The connection, and whether it was opened by this call."""
        with self._changing:
            if self._open:
                return self._open[0], False
            connection = psycopg.connect(self._address, autocommit=True, row_factory=dict_row)
            self._open.append(connection)
            return connection, True

    def _lose(self, lost: psycopg.Connection[dict[str, Any]]) -> None:
        """The next query opens another one. A query of another thread comes to its end first."""
        with self._changing:
            self._open[:] = [kept for kept in self._open if kept is not lost]
        with lost.lock:
            lost.close()


def _rows_of(
    connection: psycopg.Connection[dict[str, Any]], query: str, parameters: tuple[Any, ...]
) -> Sequence[Mapping[str, Any]]:
    """Those of the last statement. The server accepts several statements in one message, which is one transaction, only
    if the client has filled in the parameters.
    """
    if ";" not in query:
        return connection.execute(query, parameters).fetchall()
    with psycopg.ClientCursor(connection, row_factory=dict_row) as cursor:
        cursor.execute(query, parameters)
        while cursor.nextset():
            pass
        return cursor.fetchall()


def _close(connections: list[psycopg.Connection[Any]]) -> None:
    while connections:
        connections.pop().close()
