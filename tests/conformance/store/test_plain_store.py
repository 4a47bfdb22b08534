"""The store in plain SQL shares its database with the other: its posts wake who waits, and the schema is upgraded."""

import asyncio
import contextlib
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.plain_arrivals import PlainArrivals
from shiftwork.adapters.store.plain_store import open_plain_store
from shiftwork.adapters.store.sql.database import create_engine
from shiftwork.adapters.store.sql.migrate import migrate
from shiftwork.adapters.store.sql.schema_version import HEAD, VERSION_TABLE
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.run.facts import RunUnpaused
from shiftwork.errors import StoreError

TARGET = Stream("run/1")
OLDER = "0015"


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


def version(url: str) -> object:
    engine = create_engine(url)
    with contextlib.closing(engine.connect()) as connection:
        found = connection.scalar(sa.text(f"SELECT version_num FROM {VERSION_TABLE}"))  # noqa: S608 - a constant
    engine.dispose()
    return found


def test_a_post_wakes_who_waits_and_is_received_once(url: str) -> None:
    async def scene() -> None:
        waits, called = open_store(url), list[Stream]()
        try:
            with waits.inbox.listen(called.append):
                waiting = asyncio.create_task(waits.inbox.wait(TARGET, after=0))
                await asyncio.sleep(0.3)
                plain = await open_plain_store(url)
                for _ in range(2):
                    await plain.inbox.post(TARGET, "k", {"text": "ü\0"})
                (message,) = await asyncio.wait_for(waiting, 3)
                assert (message.key, message.body) == ("k", {"text": "ü\0"})
                await asyncio.sleep(0.3)
            assert set(called) == {TARGET}
            assert [list(await each.receive(TARGET, after=0)) for each in (waits.inbox, plain.inbox)] == [[message]] * 2
        finally:
            waits.close()

    asyncio.run(scene())


def test_each_arrival_is_reported_once_whoever_has_posted_it(url: str) -> None:
    async def scene() -> None:
        plain, other = await open_plain_store(url), Stream("server/p")
        await plain.inbox.post(TARGET, "before", {})
        arrivals = PlainArrivals(url)
        assert await arrivals.arrived() == frozenset(), "what was there is read otherwise"
        await plain.inbox.post(TARGET, "k", {})
        await plain.inbox.post(other, "k", {})
        await plain.inbox.post(other, "l", {})
        assert await arrivals.arrived() == {TARGET, other}
        await plain.inbox.post(other, "l", {})
        assert await arrivals.arrived() == frozenset()

    asyncio.run(scene())


def test_posts_of_both_kinds_have_increasing_positions_and_share_their_keys(url: str) -> None:
    async def scene() -> None:
        store = open_store(url)
        try:
            plain = await open_plain_store(url)
            for number in range(6):
                inbox = (store.inbox, plain.inbox)[number % 2]
                await inbox.post(TARGET, f"k{number}", {"number": number})
            await store.inbox.post(TARGET, "k1", {"number": -1})
            await plain.inbox.post(TARGET, "k0", {"number": -1})
            messages = await plain.inbox.receive(TARGET, after=0)
            assert [message.body["number"] for message in messages] == list(range(6))
            assert await plain.inbox.posted(TARGET, "k0")
            assert await store.inbox.posted(TARGET, "k1")
        finally:
            store.close()

    asyncio.run(scene())


def test_the_history_is_that_of_the_store(url: str) -> None:
    async def scene() -> None:
        store = open_store(url)
        try:
            await store.events.append(TARGET, [RunUnpaused(at=1.0)], expected=0, key="k")
            plain = await open_plain_store(url)
            assert await plain.history.read(TARGET) == await store.events.read(TARGET)
            assert await plain.history.version(TARGET) == 1
        finally:
            store.close()

    asyncio.run(scene())


@pytest.mark.parametrize("older", ["", OLDER])
def test_a_missing_or_older_schema_is_upgraded_before_anything_is_posted(url: str, older: str) -> None:
    if older:
        engine = create_engine(url)
        with engine.begin() as connection:
            migrate(connection, VERSION_TABLE, older)
        engine.dispose()
        assert version(url) == older

    async def scene() -> None:
        await (await open_plain_store(url)).inbox.post(TARGET, "k", {})

    asyncio.run(scene())
    assert version(url) == HEAD


def test_a_database_of_a_newer_release_is_refused(url: str) -> None:
    open_store(url).close()
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))  # noqa: S608 - a constant
    engine.dispose()
    with pytest.raises(StoreError, match="newer release"):
        asyncio.run(open_plain_store(url))


def test_a_post_that_fails_is_reported(sqlite_url: str) -> None:
    open_store(sqlite_url).close()
    file = Path(sqlite_url.removeprefix("sqlite:///"))

    async def scene() -> None:
        plain = await open_plain_store(sqlite_url)
        with contextlib.closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("DROP TABLE inbox")
        with pytest.raises(StoreError, match="no such table: inbox") as raised:
            await plain.inbox.post(TARGET, "k", {})
        assert raised.value.hint == "check that its folder is writable and has free space"

    asyncio.run(scene())


def test_posting_loads_nothing_heavy(sqlite_url: str) -> None:
    open_store(sqlite_url).close()
    code = f"""
import json, sys
from shiftwork.adapters.store.plain_arrivals import PlainArrivals
from shiftwork.adapters.store.plain_store import open_plain_store
async def post():
    await (await open_plain_store({sqlite_url!r})).inbox.post("run/1", "k", {{}})
try:
    post().send(None)
except StopIteration:
    print(json.dumps(sorted(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"alembic", "asyncio", "dbos", "psycopg", "pydantic", "sqlalchemy"} & set(json.loads(done.stdout))
