"""Reading beside a store: the history, over one connection, and a file that its last user locks for a while."""

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
import pytest

from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.reader import postgres_reader
from shiftwork.adapters.store.reader.queries import Fetch, unreadable
from shiftwork.adapters.store.reader.reader import no_queries, open_queries
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.story.facts.steps import NoteWritten
from shiftwork.testing.conformance.event_store import notes

HELD_SECONDS = 6.0
"""Longer than Python's driver waits by itself."""


@pytest.mark.slow
def test_who_looks_waits_until_it_is_let_pass(sqlite_url: str) -> None:
    open_store(sqlite_url).close()
    file = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None, check_same_thread=False)
    with contextlib.closing(file) as holder:
        holder.execute("PRAGMA locking_mode=EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")

        def release() -> None:
            time.sleep(HELD_SECONDS)
            holder.execute("COMMIT")
            holder.close()

        releasing = threading.Thread(target=release)
        releasing.start()
        try:
            assert list(asyncio.run(open_queries(sqlite_url).runs(limit=1))) == []
        finally:
            releasing.join()


_STREAM = Stream("story/r/s")


@pytest.mark.anyio
async def test_the_history_is_read_as_the_store_reads_it(database_url: str) -> None:
    history = open_queries(database_url).history
    assert (list(await history.read(_STREAM)), await history.version(_STREAM)) == ([], 0), "before there is any"
    store = open_store(database_url)
    await store.events.append(_STREAM, notes("a", "b"), expected=0, key="first")
    await store.events.append(_STREAM, (*notes("c"), MessagesRead(at=1, upto=1)), expected=2, key="second")
    await store.events.append(Stream("story/r/other"), notes("d"), expected=0, key="first")
    for after, upto in ((0, None), (1, None), (0, 2), (1, 2), (3, None)):
        for kinds in ((), (NoteWritten,), (MessagesRead,)):
            read = await history.read(_STREAM, after=after, upto=upto, kinds=kinds)
            assert list(read) == list(await store.events.read(_STREAM, after=after, upto=upto, kinds=kinds))
    assert await history.version(_STREAM) == 4
    store.close()
    assert not await no_queries().history.read(_STREAM)


def server_process(fetch: Fetch) -> int:
    (row,) = asyncio.run(_asked(fetch, "SELECT pg_backend_pid() AS pid"))
    return int(row["pid"])


async def _asked(fetch: Fetch, query: str) -> Sequence[Mapping[str, Any]]:
    return await fetch(query, ())


def test_queries_share_one_connection_and_open_another_when_it_is_lost(postgres_url: str) -> None:
    fetch = postgres_reader.fetch(postgres_url)
    first = server_process(fetch)
    assert not asyncio.run(_asked(fetch, "SELECT * FROM missing_table"))
    assert server_process(fetch) == first
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", (first,))
        last = server_process(fetch)
        assert last != first
        del fetch
        seen, deadline = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s", time.monotonic() + 10
        while other.execute(seen, (last,)).fetchone() != (0,) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert other.execute(seen, (last,)).fetchone() == (0,), "closed with the queries that it was for"


def test_queries_of_several_threads_share_one_connection_and_survive_its_loss(postgres_url: str) -> None:
    fetch = postgres_reader.fetch(postgres_url, patience=30)

    async def asked() -> set[int]:
        queries = (_asked(fetch, "SELECT pg_backend_pid() AS pid, pg_sleep(0.01)") for _ in range(10))
        return {int(row["pid"]) for (row,) in await asyncio.gather(*queries)}

    (first,) = asyncio.run(asked())
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", (first,))
    (last,) = asyncio.run(asked())
    assert last != first


@pytest.mark.parametrize(("text", "hint"), [("disk I/O error", "df -h"), ("no such column: x", "use that release")])
def test_the_next_step_suits_the_reason(text: str, hint: str) -> None:
    assert hint in unreadable(sqlite3.OperationalError(text)).hint
