"""Reading a database that another process locks for a while: its last user, cleaning up on slow disks."""

import asyncio
import contextlib
import sqlite3
import threading
import time

import pytest

from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.reader.reader import open_queries

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
