"""How `reader` asks a Postgres database; apart, because the driver takes long to load."""

import asyncio
from collections.abc import Sequence
from typing import Any

import psycopg

from shiftwork.adapters.store.queries import Fetch, unreadable


def fetch(url: str) -> Fetch:
    def query_now(query: str, parameters: tuple[Any, ...]) -> Sequence[tuple[Any, ...]]:
        try:
            with psycopg.connect(url, autocommit=True) as connection:
                return connection.execute(query.replace("?", "%s"), parameters).fetchall()
        except psycopg.errors.UndefinedTable:
            return []
        except psycopg.Error as error:
            raise unreadable(error) from error

    async def ask(query: str, parameters: tuple[Any, ...]) -> Sequence[tuple[Any, ...]]:
        return await asyncio.to_thread(query_now, query, parameters)

    return ask
