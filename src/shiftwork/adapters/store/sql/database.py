"""An async interface to a database: one engine, its threads, and the differences between the two dialects."""

import asyncio
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, cast

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from shiftwork.adapters.store.reader.read_only_sqlite import check_unchanged, is_closed, readable
from shiftwork.adapters.store.sql.dialect import NOW, sqlite_file
from shiftwork.adapters.store.written_ahead import BUSY_SECONDS, SAFE, write_ahead
from shiftwork.adapters.unanswered import IDLE_SECONDS, STATEMENT_SECONDS, connecting
from shiftwork.errors import StoreError

# SQLite has one writer at a time: a second thread would only wait in SQLite's own back-off.
_SQLITE_THREADS: Final = 1
_POSTGRES_THREADS: Final = 4

_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 1.0
# Connection failures, server shutdown or start-up, too many clients, and deadlocks or serialization failures.
_UNREACHABLE: Final = ("08", "57", "53300", "40")
_IDLE_TOO_LONG: Final = "25P03"

type Insert = sqlite.Insert
"""The two dialects spell `ON CONFLICT` alike but share no type for it."""


def create_engine(url: str) -> sa.Engine:
    """Creates the engine for an address without connecting."""
    file = sqlite_file(url)
    if file is not None:
        return _read_only_sqlite(file) if os.access(file, os.F_OK) and is_closed(file) else _sqlite(file)
    return _postgres(sa.make_url(url).set(drivername="postgresql+psycopg"))


def _postgres(url: sa.URL) -> sa.Engine:
    # Detects a connection that the server has dropped before using it, not in the middle of an append.
    engine = sa.create_engine(url, connect_args=connecting(url.query), pool_size=_POSTGRES_THREADS, pool_pre_ping=True)

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.autocommit = True  # a setting made in a transaction ends with it
        connection.execute(f"SET statement_timeout = '{STATEMENT_SECONDS}s'")
        connection.execute(f"SET idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'")
        connection.autocommit = False

    return engine


def _sqlite(file: str) -> sa.Engine:
    # The driver's own transactions begin too late: a read before the first write is outside of them, and updates get
    # lost.
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=file),
        connect_args={"isolation_level": None, "timeout": BUSY_SECONDS},
        pool_size=_SQLITE_THREADS,
    )

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        write_ahead(connection)
        connection.execute(SAFE).close()

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # A read is a single statement and needs no transaction; with BEGIN IMMEDIATE it would wait for writers.
        if not connection.get_execution_options().get("reading"):
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _read_only_sqlite(file: str) -> sa.Engine:
    """A read-only engine: SQLite itself refuses all writes."""
    address, mark = readable(file)

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(address, uri=True, isolation_level=None, timeout=BUSY_SECONDS, check_same_thread=False)

    engine = sa.create_engine(sa.URL.create("sqlite", database=file), creator=connect, pool_size=_SQLITE_THREADS)

    @sa.event.listens_for(engine, "commit")
    def check(_: sa.Connection) -> None:
        check_unchanged(file, mark)

    return engine


class Database:
    """Runs blocking work on a connection in its own threads, for callers in any event loop.

    A cancelled caller returns at once; its transaction still ends, committed or rolled back. If a Postgres server
    cannot be reached or drops the connection, the whole `act` is retried until `patience` seconds have passed. So `act`
    must be safe to run twice: the answer may have been lost after the commit.
    """

    def __init__(self, engine: sa.Engine, patience: float = 0.0) -> None:
        self._patience = patience
        self._closing = threading.Event()
        sqlite_spoken = engine.dialect.name == "sqlite"
        self.dialect: Final = engine.dialect.name
        self.language: Final = engine.dialect
        self.engine: Final = engine
        self._reading = (
            engine.execution_options(reading=True)
            if sqlite_spoken
            else engine.execution_options(isolation_level="AUTOCOMMIT")
        )
        self._threads = ThreadPoolExecutor(
            _SQLITE_THREADS if sqlite_spoken else _POSTGRES_THREADS, thread_name_prefix="store"
        )

    async def read[T](self, act: Callable[[sa.Connection], T]) -> T:
        """Runs `act`, of a single statement, without waiting for writers."""
        return await self._in_thread(self._reading, act)

    async def statement[T](self, act: Callable[[sa.Connection], T]) -> T:
        """Runs `act`, of a single statement, as a transaction of its own: a suspended process holds no lock."""
        return await self._in_thread(self._reading, act)

    async def write[T](self, act: Callable[[sa.Connection], T]) -> T:
        """Runs `act` in one transaction, which is rolled back when anything is raised."""
        return await self._in_thread(self.engine, act)

    async def _in_thread[T](self, engine: sa.Engine, act: Callable[[sa.Connection], T]) -> T:
        def once() -> T:
            with engine.begin() as connection:
                return act(connection)

        def work() -> T:
            deadline, pause = time.monotonic() + self._patience, _FIRST_PAUSE
            while True:
                try:
                    return once()
                except sa.exc.DBAPIError as error:
                    if not _is_unreachable(error) or time.monotonic() > deadline or self._closing.wait(pause):
                        raise
                    pause = min(2 * pause, _LONGEST_PAUSE)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except sa.exc.SQLAlchemyError as error:
            raise store_error(engine, error) from error

    def close(self) -> None:
        self._closing.set()
        self._threads.shutdown()
        self.engine.dispose()


def _is_unreachable(error: sa.exc.DBAPIError) -> bool:
    """Whether the error is about the connection or the server, and not about the query."""
    state = getattr(error.orig, "sqlstate", "")  # SQLite's errors have no such attribute
    if state == _IDLE_TOO_LONG:  # this process was suspended in the middle of a transaction
        return True
    if error.connection_invalidated or state is None:
        return isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError)
    return state.startswith(_UNREACHABLE)


def store_error(engine: sa.Engine, error: sa.exc.SQLAlchemyError) -> StoreError:
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    return StoreError(
        f"the database {engine.url.render_as_string(hide_password=True)} failed: {str(cause).strip()}",
        hint="check that its folder is writable and has free space"
        if engine.dialect.name == "sqlite"
        else "check that the server is running and the address is correct",
    )


def insert(dialect: str, table: sa.Table) -> Insert:
    """An insert with `ON CONFLICT`."""
    if dialect == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - a laptop never loads it

    return cast("Insert", postgresql.insert(table))


def now(dialect: str) -> sa.ColumnElement[float]:
    return sa.literal_column(NOW[dialect], sa.Double)
