"""How `reader` asks a Postgres database; apart, because the driver takes long to load."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row

from shiftwork.adapters.store.queries import Fetch, unreadable
from shiftwork.errors import StoreError

_PORTS: Final = range(1, 65536)


def misread(url: str) -> str:
    """What is wrong with an address, in the driver's words up to where it quotes; empty where nothing is."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        return re.split(r':? (?:in )?"(?!\]")', str(error).strip())[0]
    port = str(parts.get("port", "")).strip(",")  # several hosts may leave theirs unsaid
    # The driver takes an empty one for none; SQLAlchemy, which opens the same address for writing, does not.
    unsaid = not port and not url.partition("://")[2].partition("/")[0].endswith(":")
    return "" if unsaid or (port.isdecimal() and int(port) in _PORTS) else "its port is no number from 1 to 65535"


def fetch(url: str) -> Fetch:
    def query_now(query: str, parameters: tuple[Any, ...]) -> Sequence[Mapping[str, Any]]:
        try:
            with psycopg.connect(url, autocommit=True, row_factory=dict_row) as connection:
                return connection.execute(query.replace("?", "%s"), parameters).fetchall()
        except psycopg.errors.UndefinedTable:
            return []
        except psycopg.OperationalError as error:
            raise StoreError(
                f"the database cannot be reached: {str(error).strip()}",
                hint="see that the server runs and the address is right",
            ) from error
        except psycopg.Error as error:
            if isinstance(error, psycopg.errors.UndefinedColumn) and str(error).startswith('column "project"'):
                return []
            raise unreadable(error) from error

    async def ask(query: str, parameters: tuple[Any, ...]) -> Sequence[Mapping[str, Any]]:
        return await asyncio.to_thread(query_now, query, parameters)

    return ask
