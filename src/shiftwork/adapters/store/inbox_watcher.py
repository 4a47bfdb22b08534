"""One thread that sees what other processes post, while anybody in this process waits for it.

It remembers the highest position that it has seen and asks for what comes after it, so a lost connection loses nothing.
Postgres notifies it; on SQLite it compares a number in memory that changes with every commit of others.
Rejected: a look at the table by each waiter, which with 200 agents took most of a core.
"""

import contextlib
import selectors
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Protocol

import sqlalchemy as sa

from shiftwork.adapters.store.sql.dialect import CHANNEL
from shiftwork.adapters.store.sql.tables import inbox as table
from shiftwork.adapters.store.wakeup import WakeUps

_SQLITE_SECONDS: Final = 0.2
_POSTGRES_SECONDS: Final = 5.0
"""The longest time between two looks, also without a notification: a pooler in front of the server may drop them."""

_RETRY_SECONDS: Final = 0.5
_LAST: Final = sa.select(sa.func.coalesce(sa.func.max(table.c.position), 0))
_NEWS: Final = sa.select(table.c.position, table.c.target).where(table.c.position > sa.bindparam("seen"))


class InboxWatcher:
    """Passes on every message that is posted after it was made; its own thread runs only while it is `wanted`."""

    def __init__(self, engine: sa.Engine, wake_ups: WakeUps) -> None:
        self._engine = engine.execution_options(reading=True)
        self._signal: _Signal = _PostgresSignal() if engine.dialect.name == "postgresql" else _SqliteSignal()
        self._wake_ups = wake_ups
        self._lock = threading.Lock()
        self._users = 0
        self._closed = False
        self._thread: threading.Thread | None = None
        self._own: set[int] = set()
        with self._engine.connect() as connection:
            self._seen = int(connection.scalar(_LAST) or 0)

    @contextlib.contextmanager
    def wanted(self) -> Iterator[None]:
        with self._lock:
            self._users += 1
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="inbox", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:  # the thread ends at its next look: a task that waits again soon finds it there
                self._users -= 1

    def posted_here(self, position: int, target: str) -> None:
        """This process has posted a message: passes it on at once, unless the thread has seen it first."""
        with self._lock:
            is_news = position > self._seen
            if is_news:
                self._own.add(position)
        if is_news:
            self._wake_ups.wake(target)

    def close(self) -> None:
        with self._lock:
            self._closed, thread = True, self._thread
        self._signal.interrupt()
        if thread is not None:
            thread.join()
        self._signal.close()

    def _run(self) -> None:
        while self._is_wanted():
            try:
                with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                    connection.detach()  # it closes with this block, and is not used for anything else
                    self._follow(connection)
            except (sa.exc.SQLAlchemyError, OSError, self._engine.dialect.loaded_dbapi.Error):
                # Who waits looks for itself, and reports it if the database stays away.
                self._wake_ups.wake_waiters()
                self._signal.pause(_RETRY_SECONDS)

    def _follow(self, connection: sa.Connection) -> None:
        has_news = self._signal.of(connection.connection.dbapi_connection)
        while self._is_wanted():
            self._pass_on([(row[0], row[1]) for row in connection.execute(_NEWS, {"seen": self._seen})])
            while self._is_wanted() and not has_news():
                pass

    def _pass_on(self, rows: Sequence[tuple[int, str]]) -> None:
        with self._lock:
            foreign = dict.fromkeys(target for position, target in rows if position not in self._own)
            self._seen = max((position for position, _ in rows), default=self._seen)
            self._own = {position for position in self._own if position > self._seen}
        for target in foreign:
            self._wake_ups.wake(target)

    def _is_wanted(self) -> bool:
        with self._lock:
            if self._users and not self._closed:
                return True
            self._thread = None
            return False


class _Signal(Protocol):
    """Waits until something may have been posted."""

    def of(self, connection: Any) -> Callable[[], bool]:
        """Returns a function for the driver's connection: it waits a while, and returns whether to look."""
        ...

    def pause(self, seconds: float) -> None: ...

    def interrupt(self) -> None:
        """Ends every wait, now and from now on."""
        ...

    def close(self) -> None: ...


class _SqliteSignal:
    def __init__(self) -> None:
        self._stop = threading.Event()

    def of(self, connection: Any) -> Callable[[], bool]:
        def version() -> int:
            return int(connection.execute("PRAGMA data_version").fetchall()[0][0])

        last = [version()]

        def has_news() -> bool:
            self._stop.wait(_SQLITE_SECONDS)
            last.append(version())
            return last.pop(0) != last[0]

        return has_news

    def pause(self, seconds: float) -> None:
        self._stop.wait(seconds)

    def interrupt(self) -> None:
        self._stop.set()

    def close(self) -> None:
        """Nothing to release."""


class _PostgresSignal:
    def __init__(self) -> None:
        self._reading, self._writing = socket.socketpair()

    def of(self, connection: Any) -> Callable[[], bool]:
        notes: list[object] = []
        connection.add_notify_handler(notes.append)  # called for what arrives during a query
        connection.execute(f"LISTEN {CHANNEL}")

        def has_news() -> bool:
            if not notes:
                self._wait(_POSTGRES_SECONDS, connection.fileno())
            notes.clear()
            return True

        return has_news

    def pause(self, seconds: float) -> None:
        self._wait(seconds)

    def _wait(self, seconds: float, *descriptors: int) -> None:
        with selectors.DefaultSelector() as selector:
            for descriptor in (self._reading.fileno(), *descriptors):
                selector.register(descriptor, selectors.EVENT_READ)
            selector.select(seconds)

    def interrupt(self) -> None:
        self._writing.send(b".")

    def close(self) -> None:
        self._reading.close()
        self._writing.close()
