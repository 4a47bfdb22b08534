"""The feed of facts: one order, nothing lost and nothing twice, on SQLite and with concurrent writers on Postgres."""

import asyncio
import contextlib
from collections.abc import Iterator

import psycopg
import pytest

from shiftwork.adapters.store.open import Store, open_store
from shiftwork.adapters.store.reader.fact_feed import open_feed
from shiftwork.domain.core.ids import Stream
from shiftwork.ports.store import FactFeed, Placed
from shiftwork.testing.conformance.event_store import notes
from shiftwork.testing.conformance.store_stage import awaited, run_row

OURS, THEIRS = "ours", "theirs"
WRITERS, APPENDS = 6, 25


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with contextlib.closing(open_store(url)) as opened:
        yield opened


async def opened_run(store: Store, run: str, project: str) -> None:
    row = run_row(run, project=project)
    await store.events.append(Stream(f"run/{run}"), notes("start"), expected=0, key="start", rows=[row])


async def added(store: Store, stream: str, *words: str) -> None:
    version = await store.events.version(Stream(stream))
    await store.events.append(Stream(stream), notes(*words), expected=version, key=words[0])


async def everything(feed: FactFeed, after: int = 0, *, limit: int = 3) -> list[Placed]:
    found: list[Placed] = []
    while (page := await feed.after(after, limit=limit)).upto > after:
        found += page.facts
        after = page.upto
    return found


def said(facts: list[Placed]) -> list[tuple[str, int]]:
    return [(placed.recorded.stream, placed.recorded.version) for placed in facts]


@awaited
async def test_a_project_sees_the_facts_of_its_runs_and_stories_in_the_order_of_their_commits(
    url: str, store: Store
) -> None:
    await opened_run(store, "r1", OURS)
    await opened_run(store, "r2", THEIRS)
    await added(store, "story/r1/US-1", "a", "b")
    await added(store, "story/r2/US-1", "c")
    await added(store, "landing/here/main", "d")
    await added(store, "run/r1", "e")
    whole = await everything(open_feed(url, OURS))
    assert said(whole) == [("run/r1", 1), ("story/r1/US-1", 1), ("story/r1/US-1", 2), ("run/r1", 2)]
    assert said(await everything(open_feed(url, THEIRS))) == [("run/r2", 1), ("story/r2/US-1", 1)]
    for place, placed in enumerate(whole):
        rest = await everything(open_feed(url, OURS), placed.position, limit=1)
        assert rest == whole[place + 1 :], "every place continues where it stopped"


@awaited
async def test_the_tail_is_bounded_in_bytes(url: str, store: Store) -> None:
    feed = open_feed(url, OURS)
    assert await feed.tail(1000) == 0
    await opened_run(store, "r1", OURS)
    for number in range(20):
        await added(store, "story/r1/US-1", f"{number:03}")
    whole = await everything(feed)
    assert await feed.tail(1 << 20) == 0
    size = sum(placed.size for placed in whole[-5:])
    assert await everything(feed, await feed.tail(size)) == whole[-5:]
    assert await everything(feed, await feed.tail(size - 1)) == whole[-4:]


@awaited
async def test_who_follows_is_woken_by_a_fact(url: str, store: Store) -> None:
    feed = open_feed(url, OURS)
    await feed.changed()
    waiting = asyncio.create_task(feed.changed())
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await opened_run(store, "r1", OURS)
    await asyncio.wait_for(waiting, 10)


@awaited
async def test_every_write_changes_the_mark(url: str, store: Store) -> None:
    feed = open_feed(url, OURS)
    marks = [await feed.written()]
    await opened_run(store, "r1", OURS)
    marks.append(await feed.written())
    await added(store, "story/r1/US-1", "a")
    marks.append(await feed.written())
    await store.inbox.post(Stream("run/r1"), "key", {})
    marks.append(await feed.written())
    assert all(mark not in marks[:place] for place, mark in enumerate(marks))


@awaited
async def test_reading_does_not_change_the_mark(sqlite_url: str) -> None:
    with contextlib.closing(open_store(sqlite_url)) as store:
        await opened_run(store, "r1", OURS)
        feed = open_feed(sqlite_url, OURS)
        mark = await feed.written()
        await everything(feed)
        assert await feed.written() == mark


def test_a_database_that_does_not_exist_is_empty(sqlite_url: str) -> None:
    assert asyncio.run(everything(open_feed(sqlite_url, OURS))) == []


# Postgres: the order of places is not the order of commits ------------------------------------------------------------


def held_open(url: str, stream: str) -> psycopg.Connection[tuple[object, ...]]:
    """A transaction that has written a fact and has not ended."""
    connection = psycopg.connect(url)
    body = '{"at":1.0,"by":"step-001","text":"late"}'
    connection.execute(
        "INSERT INTO facts (stream, version, key, ordinal, kind, schema_version, body, at)"
        " VALUES (%s, 1, 'late', 0, 'NoteWritten', 1, %s, 1.0)",
        (stream, body),
    )
    return connection


@pytest.mark.parametrize("committed", [True, False])
@awaited
async def test_a_place_that_an_open_transaction_may_fill_is_not_passed(postgres_url: str, *, committed: bool) -> None:
    with contextlib.closing(open_store(postgres_url)) as store:
        feed = open_feed(postgres_url, OURS)
        await opened_run(store, "r1", OURS)
        slow = held_open(postgres_url, "story/r1/US-1")
        await added(store, "story/r1/US-2", "quick")
        mark = await feed.written()
        first = await feed.after(0, limit=10)
        assert said(list(first.facts)) == [("run/r1", 1)]
        assert (await feed.after(first.upto, limit=10)).facts == (), "still open"
        # Somebody else is always writing: only who was there when the gap was seen counts.
        other = held_open(postgres_url, "story/r1/US-3")
        if committed:
            slow.commit()
            assert await feed.written() != mark, "the later commit of a lower place counts too"
        slow.rollback()  # at once: Postgres may notice a closed connection later
        slow.close()
        rest = await everything(feed, first.upto, limit=10)
        late = [("story/r1/US-1", 1)] if committed else []
        assert said(rest) == [*late, ("story/r1/US-2", 1)]
        other.commit()
        other.close()
        assert said(await everything(feed, rest[-1].position)) == [("story/r1/US-3", 1)]


@awaited
async def test_a_follower_of_concurrent_writers_misses_nothing(postgres_url: str) -> None:
    """Some transactions stay open for a while, and some are rolled back."""
    with contextlib.closing(open_store(postgres_url)) as store:
        await opened_run(store, "r1", OURS)

    def write(writer: int) -> None:
        with contextlib.closing(open_store(postgres_url)) as own:
            for number in range(APPENDS):
                if number % 5 == 0:
                    held_open(postgres_url, f"story/r1/lost-{writer}-{number}").close()
                if number % 7 == 0:
                    with held_open(postgres_url, f"story/r1/held-{writer}-{number}") as held:
                        held.execute("SELECT pg_sleep(0.02)")
                asyncio.run(added(own, f"story/r1/{writer}", f"n{number}"))

    feed, seen, after = open_feed(postgres_url, OURS), list[Placed](), 0
    working = asyncio.gather(*(asyncio.to_thread(write, writer) for writer in range(WRITERS)))
    over = False
    while not over:
        over = working.done()
        found = await everything(feed, after, limit=7)
        seen += found
        after = found[-1].position if found else after
        await asyncio.sleep(0.01)
    await working
    seen += await everything(feed, after)
    assert [placed.position for placed in seen] == sorted({placed.position for placed in seen})
    assert seen == await everything(open_feed(postgres_url, OURS), limit=1000)
    assert len(seen) == 1 + WRITERS * (APPENDS + len(range(0, APPENDS, 7)))
