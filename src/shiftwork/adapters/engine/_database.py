"""How DBOS is set up: silent, only as a library, and on SQLite with an engine that many processes can share."""

import logging
import sqlite3
from dataclasses import dataclass
from typing import Any, Final

from dbos import DBOSConfig, DBOSPortableJSONSerializer
from sqlalchemy import Connection, Engine, create_engine, event, make_url

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.unanswered import connecting
from shiftwork.adapters.written_ahead import BUSY_SECONDS, write_ahead

# WAL with synchronous=NORMAL survives the death of any process. A power failure may lose the last checkpoints. The
# history compensates for that: an act without a checkpoint is repeated under the same key.
_PRAGMAS: Final = ("synchronous=NORMAL", "foreign_keys=ON")
# DBOS assumes a recent SQLite and asks it for milliseconds; Debian 12 has 3.40.
_MILLISECONDS_SINCE: Final = (3, 42, 0)
_THREADS: Final = 32
# More connections would only wait for each other: one process makes about a hundred short transactions a second.
_POOL: Final[dict[str, Any]] = {"pool_size": 5, "max_overflow": 0, "pool_timeout": 120}
_WAKE_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class DbosSettings:
    """`executor` names this process and is never reused; `version` changes when old jobs must not be replayed."""

    name: str
    url: str
    executor: str
    version: str


def tuned_sqlite(url: str) -> Engine:
    """Returns an engine whose transactions take the write lock when they begin, and wait for it.

    With DBOS's own engine, half of the processes that open a new file together fail with "database is locked".
    """
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS}, **_POOL)

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # the driver starts no transaction by itself
        if sqlite3.sqlite_version_info < _MILLISECONDS_SINCE:
            connection.create_function("unixepoch", 1, _unixepoch)
        write_ahead(connection)
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _unixepoch(modifier: str) -> float | None:
    return round(SystemClock().now(), 3) if modifier == "subsec" else None


def configuration(settings: DbosSettings, engine: Engine | None) -> DBOSConfig:
    """JSON instead of pickle; no admin server, telemetry or conductor; no listener, as nothing is sent through DBOS."""
    return DBOSConfig(
        name=settings.name,
        system_database_url=settings.url,
        system_database_engine=engine,
        executor_id=settings.executor,
        application_version=settings.version,
        serializer=DBOSPortableJSONSerializer(),
        use_listen_notify=False,
        notification_listener_polling_interval_sec=_WAKE_SECONDS,
        max_executor_threads=_THREADS,
        # The first use of a lost connection fails and DBOS retries; a check before each use costs a quarter of the
        # time.
        db_engine_kwargs={**_POOL, "pool_pre_ping": False, **_connecting(settings.url)},
        enable_otlp=False,
        log_level="WARNING",
    )


def _connecting(url: str) -> dict[str, Any]:
    return {} if url.startswith("sqlite") else {"connect_args": connecting(make_url(url).query)}


def silence() -> None:
    """Keeps DBOS's log out of the user's terminal: DBOS adds a console handler unless a handler exists."""
    logger = logging.getLogger("dbos")
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
