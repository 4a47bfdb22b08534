"""Messages of other processes: seen by one thread for all who wait, which loses none and leaves nothing behind."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from shiftwork.adapters.store import inbox_watcher
from shiftwork.adapters.store.inbox import SqlInbox
from shiftwork.adapters.store.open import Store, open_store
from shiftwork.domain.core.ids import Stream
from shiftwork.errors import StoreError
from shiftwork.testing.postgres_cluster import PostgresMissingError, PrivateServer, private_server
from tests.patience import Stopwatch

TARGET = Stream("story/r/s")
QUICKLY = 0.3


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "inbox"]


async def until(wanted: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not wanted():
            await asyncio.sleep(0.01)


async def waiting(store: Store, count: int) -> list[asyncio.Task[object]]:
    targets = (Stream(f"story/r/{number}") for number in range(count))
    return [asyncio.create_task(_wait(store, target)) for target in targets]


async def _wait(store: Store, target: Stream) -> object:
    return await store.inbox.wait(target, after=0)


def statements(counted: list[str]) -> Callable[..., None]:
    def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "inbox" in statement:
            counted.append(statement)

    return count


def test_a_message_is_read_although_the_store_was_busy_for_longer_than_the_wait_may_last(sqlite_url: str) -> None:
    """Another process posts while the store's only thread writes slowly, or while this process is suspended."""
    store, other = open_store(sqlite_url), open_store(sqlite_url)

    async def scenario() -> None:
        waiting = asyncio.create_task(store.inbox.wait(TARGET, after=0, seconds=0.5))
        await asyncio.sleep(0.2)
        assert isinstance(store.inbox, SqlInbox)
        busy = asyncio.create_task(store.inbox._database.read(lambda _: time.sleep(1.5)))
        await other.inbox.post(TARGET, "answer/1", {})
        (message,) = await waiting
        assert message.key == "answer/1"
        await busy

    asyncio.run(scenario())
    store.close()
    other.close()


def test_hundreds_who_wait_share_one_thread_and_ask_nothing_while_nothing_is_posted(database_url: str) -> None:
    store, counted = open_store(database_url), list[str]()
    count = statements(counted)

    async def scenario() -> None:
        tasks = await waiting(store, 200)
        await until(lambda: len(counted) > 200)  # each looks once, and so does the thread
        counted.clear()
        await asyncio.sleep(1)
        assert not counted
        assert len(threads()) == 1
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    sa.event.listen(sa.Engine, "before_cursor_execute", count)
    try:
        asyncio.run(scenario())
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", count)
        store.close()
    assert not threads()


def test_a_message_of_another_process_arrives_quickly(database_url: str) -> None:
    store, other = open_store(database_url), open_store(database_url)

    async def scenario() -> list[float]:
        taken = []
        for number in range(5):
            target = Stream(f"story/r/{number}")
            task = asyncio.create_task(store.inbox.wait(target, after=0))
            await asyncio.sleep(0.3)
            began = time.monotonic()
            await other.inbox.post(target, "k", {})
            await asyncio.wait_for(task, 60)
            taken.append(time.monotonic() - began)
        return taken

    assert min(asyncio.run(scenario())) < QUICKLY
    store.close()
    other.close()


def test_nobody_is_watched_for_while_nobody_waits(sqlite_url: str) -> None:
    store = open_store(sqlite_url)

    async def scenario() -> None:
        await store.inbox.post(TARGET, "k", {})
        await store.inbox.receive(TARGET, after=0)
        assert not threads()
        with store.inbox.listen(lambda _: None):
            assert len(threads()) == 1
        await until(lambda: not threads())

    asyncio.run(scenario())
    store.close()


def test_closing_ends_the_watch_at_once(database_url: str) -> None:
    store = open_store(database_url)

    async def scenario() -> None:
        with store.inbox.listen(lambda _: None):
            await asyncio.sleep(0.5)
            watch = Stopwatch()
            await asyncio.to_thread(store.close)
            assert not threads()
            assert watch.within(inbox_watcher._POSTGRES_SECONDS / 2)

    asyncio.run(scenario())


def test_a_connection_that_is_lost_loses_no_message(postgres_url: str) -> None:
    """The connection is ended and the message is posted before another can be made: only a look finds it."""
    store, called = open_store(postgres_url), list[Stream]()

    async def scenario() -> None:
        with store.inbox.listen(called.append), psycopg.connect(postgres_url, autocommit=True) as connection:
            waits = asyncio.create_task(store.inbox.wait(TARGET, after=0))
            await asyncio.sleep(0.5)
            connection.execute(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            connection.execute("INSERT INTO inbox (target, key, body) VALUES (%s, 'k', '{}')", (TARGET,))
            assert len(await asyncio.wait_for(waits, 60)) == 1
            await until(lambda: called == [TARGET])

    asyncio.run(scenario())
    store.close()


@pytest.fixture
def server() -> Iterator[PrivateServer]:
    try:
        with private_server() as server:
            yield server
    except PostgresMissingError as error:
        pytest.skip(str(error))


def test_a_server_that_is_restarted_loses_no_message(server: PrivateServer) -> None:
    store, other, called = (
        open_store(server.address, patience=60),
        open_store(server.address, patience=60),
        list[Stream](),
    )

    async def scenario() -> None:
        with store.inbox.listen(called.append):
            waits = asyncio.create_task(store.inbox.wait(TARGET, after=0))
            await asyncio.sleep(0.5)
            await asyncio.to_thread(server.stop)
            posting = asyncio.create_task(other.inbox.post(TARGET, "k", {}))
            await asyncio.sleep(1)
            assert not waits.done()
            await asyncio.to_thread(server.start)
            await posting
            assert len(await asyncio.wait_for(waits, 60)) == 1
            await until(lambda: TARGET in called)
            await other.inbox.post(Stream("story/r/later"), "k", {})
            await until(lambda: called[-1] == "story/r/later")

    asyncio.run(scenario())
    store.close()
    other.close()
    assert not threads()


def test_a_message_without_notification_is_found_by_the_slow_look(postgres_url: str) -> None:
    store = open_store(postgres_url)

    async def scenario() -> None:
        waits = asyncio.create_task(store.inbox.wait(TARGET, after=0))
        await asyncio.sleep(0.5)
        with psycopg.connect(postgres_url) as connection:
            connection.execute("INSERT INTO inbox (target, key, body) VALUES (%s, 'k', '{}')", (TARGET,))
        assert len(await asyncio.wait_for(waits, 60)) == 1

    asyncio.run(scenario())
    store.close()


def test_a_database_that_is_gone_is_reported_to_who_waits(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/store.db")

    async def scenario() -> None:
        waits = asyncio.create_task(store.inbox.wait(TARGET, after=0))
        await asyncio.sleep(0.5)
        engine = sa.create_engine(f"sqlite:///{tmp_path}/store.db")
        with engine.begin() as connection:
            connection.exec_driver_sql("DROP TABLE inbox")
        engine.dispose()
        with pytest.raises(StoreError, match="no such table"):
            await asyncio.wait_for(waits, 60)

    asyncio.run(scenario())
    store.close()
