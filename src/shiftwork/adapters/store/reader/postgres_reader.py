"""How `reader` queries a Postgres database; a separate module, because the driver takes long to load."""

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

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
    """If the server cannot be reached, queries retry for `patience` seconds."""
    address = make_conninfo(url, **connecting(conninfo_to_dict(url)))

    def query_in_time(query: str, parameters: tuple[Any, ...]) -> Sequence[Mapping[str, Any]]:
        deadline = time.monotonic() + patience
        while True:
            try:
                return _queried(address, query, parameters)
            except StoreError as error:
                if not isinstance(error.__cause__, psycopg.OperationalError) or time.monotonic() >= deadline:
                    raise
                time.sleep(_PAUSE_SECONDS)

    async def ask(query: str, parameters: tuple[Any, ...]) -> Sequence[Mapping[str, Any]]:
        return await asyncio.to_thread(query_in_time, query, parameters)

    return ask


def _queried(address: str, query: str, parameters: tuple[Any, ...]) -> Sequence[Mapping[str, Any]]:
    try:
        with psycopg.connect(address, autocommit=True, row_factory=dict_row) as connection:
            return connection.execute(query.replace("?", "%s"), parameters).fetchall()
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
