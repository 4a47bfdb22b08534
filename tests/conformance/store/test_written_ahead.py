"""A SQLite file that another process is just creating, or locks for longer than a reader waits."""

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.adapters.store import written_ahead
from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.reader.reader import open_queries
from shiftwork.adapters.store.sql.database import create_engine
from shiftwork.errors import StoreError

HELD_SECONDS = 0.5
DRIVERS_PATIENCE_SECONDS = 5
"""For how long a connection waits of which nothing is said."""


@pytest.fixture
def held(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The connection of the first to come, which has begun to write and has not changed to the log yet."""
    file = sqlite3.connect(tmp_path / "store.db", isolation_level=None, check_same_thread=False)
    with contextlib.closing(file) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("CREATE TABLE first (id INTEGER)")
        yield connection


def release(held: sqlite3.Connection) -> None:
    time.sleep(HELD_SECONDS)
    held.execute("COMMIT")


def test_the_second_to_open_it_waits_for_the_first(held: sqlite3.Connection, sqlite_url: str) -> None:
    first = threading.Thread(target=release, args=(held,))
    first.start()
    begun = time.monotonic()
    try:
        open_store(sqlite_url).close()
        assert not first.is_alive() or time.monotonic() - begun >= HELD_SECONDS * 0.9
    finally:
        first.join()
    with contextlib.closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as later:
        assert later.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_what_is_committed_survives_a_power_loss(sqlite_url: str) -> None:
    """SQLite waits for the disk at the end of every transaction only where it was told so, by each connection."""
    full = 2
    engine = create_engine(sqlite_url)
    try:
        with engine.begin() as connection:
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == full
    finally:
        engine.dispose()


def test_anyone_who_only_reads_waits_as_long_as_everybody_else(tmp_path: Path, sqlite_url: str) -> None:
    """Where a file has no write-ahead log yet, a process that writes it keeps readers out."""
    open_store(sqlite_url).close()
    file = sqlite3.connect(tmp_path / "store.db", isolation_level=None, check_same_thread=False)
    with contextlib.closing(file) as writer:
        writer.execute("PRAGMA journal_mode=DELETE")
        writer.execute("BEGIN EXCLUSIVE")
        release = threading.Timer(DRIVERS_PATIENCE_SECONDS + 1, writer.execute, ["COMMIT"])
        release.start()
        try:
            assert asyncio.run(open_queries(sqlite_url).runs()) == []
        finally:
            release.join()


@pytest.mark.usefixtures("held")
def test_a_file_that_stays_locked_is_reported_of(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(written_ahead, "BUSY_SECONDS", 0.2)
    with pytest.raises(StoreError, match="database is locked"):
        open_store(sqlite_url)
