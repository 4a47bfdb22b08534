"""What a step costs the database, and what one Postgres server carries: the figures behind docs/scaling.md.

A story of 25 instant steps runs on a private Postgres server; its statements, facts, bytes and write-ahead log are
counted and divided by the steps. Then several clients append facts and post messages as fast as they can. The server
does not flush commits to disk: a real one is slower by its flushes, which concurrent commits share. The last line is
how many busy agents with steps of five minutes the measured appends would carry.
"""

import asyncio
import contextlib
import resource
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Final

import psycopg
import sqlalchemy as sa

from bench.overhead import STEPS, repository, under_shiftwork
from bench.processor import processor
from shiftwork.adapters.store.open import Store, open_store
from shiftwork.domain.core.ids import StepId, Stream
from shiftwork.domain.story.facts.steps import NoteWritten
from shiftwork.testing.postgres_cluster import private_postgres
from tests.own_folders import use_own_folders

CLIENTS: Final = (1, 4)
SECONDS: Final = 4.0
STEP_SECONDS: Final = 300.0

_STATEMENTS: list[str] = []


@contextlib.contextmanager
def counted() -> Iterator[list[str]]:
    """The statements that all engines of this process send meanwhile."""

    def count(*details: Any) -> None:
        _STATEMENTS.append(str(details[2]))

    _STATEMENTS.clear()
    sa.event.listen(sa.Engine, "before_cursor_execute", count)
    try:
        yield _STATEMENTS
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", count)


def number(url: str, query: str) -> float:
    with psycopg.connect(url) as connection:
        row = connection.execute(query.encode()).fetchone()
    return float(row[0]) if row else 0.0


def written(url: str) -> float:
    return number(url, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")


async def one_step(url: str) -> float:
    """Prints what a step costs the database; returns its appends."""
    with repository() as root:
        before, spent = written(url), processor()
        with counted() as statements:
            marks = await under_shiftwork(root, store_url=url)
        log = written(url) - before
    facts = number(url, "SELECT count(*) FROM facts")
    keys = number(url, "SELECT count(*) FROM (SELECT DISTINCT stream, key FROM facts) AS appends")
    size = number(url, "SELECT sum(length(body)) FROM facts")
    table = number(url, "SELECT pg_total_relation_size('facts')")
    seconds, _ = marks.steps()
    milliseconds, used = sum(seconds) / STEPS * 1000, (processor() - spent) / STEPS * 1000
    sent = number(url, "SELECT count(*) FROM inbox") / STEPS
    print(
        f"a step           {len(statements) / STEPS:6.1f} statements   {keys / STEPS:.1f} appends   {sent:.1f} messages"
    )
    print(
        f"  in facts       {facts / STEPS:6.1f} of {size / facts:.0f} bytes, {table / facts:.0f} with keys and indexes"
    )
    print(f"  in bytes       {log / STEPS:6.0f} of write-ahead log")
    print(f"  in time        {milliseconds:6.1f} ms   {used:.1f} ms of processor")
    return keys / STEPS


async def rate(stores: list[Store], act: Callable[[Store, int, int], Coroutine[Any, Any, object]]) -> float:
    """How often all clients together do it in a second."""
    until = time.monotonic() + SECONDS

    async def client(place: int, store: Store) -> int:
        done = 0
        while time.monotonic() < until:
            await act(store, place, done)
            done += 1
        return done

    counts = await asyncio.gather(*(client(place, store) for place, store in enumerate(stores)))
    return sum(counts) / SECONDS


async def append(store: Store, place: int, done: int) -> None:
    note = NoteWritten(at=1.0, by=StepId("step-001"), text="a note of an ordinary length, as agents leave them")
    stream = Stream(f"story/bench-{id(store)}/{place}")
    await store.events.append(stream, (note,), expected=done, key=f"k{done}")


async def post(store: Store, place: int, done: int) -> None:
    await store.inbox.post(Stream(f"story/bench-{id(store)}/{place}"), f"m{done}", {"kind": "x", "body": "an answer"})


async def main() -> None:
    with private_postgres() as url:
        appends_a_step = await one_step(url)
        best = 0.0
        for clients in CLIENTS:
            stores = [open_store(url) for _ in range(clients)]
            try:
                appended, posted = await rate(stores, append), await rate(stores, post)
            finally:
                for store in stores:
                    store.close()
            best = max(best, appended)
            print(f"{clients} clients        {appended:6.0f} appends a second   {posted:.0f} messages a second")
    print(
        f"memory           {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:6.0f} MB at most in this process"
    )
    print(f"{best / appends_a_step * STEP_SECONDS:.0f}")


if __name__ == "__main__":
    with use_own_folders():
        asyncio.run(main())
