"""How DBOS is set up: quiet, nothing but a library, and on SQLite with an engine that many processes can share."""

import logging
import sqlite3
from dataclasses import dataclass
from typing import Any, Final

from dbos import DBOSConfig, DBOSPortableJSONSerializer
from sqlalchemy import Connection, Engine, create_engine, event, make_url

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.unanswered import connecting
from shiftwork.adapters.written_ahead import BUSY_SECONDS, write_ahead

# WAL with synchronous=NORMAL survives the death of any process. A loss of power may cost the last checkpoints, which
# the history makes good: an act whose checkpoint is missing is done again under the same key.
_PRAGMAS: Final = ("synchronous=NORMAL", "foreign_keys=ON")
# DBOS takes it that a Python of today has a SQLite of today, and asks it for milliseconds; Debian 12 has 3.40.
_MILLISECONDS_SINCE: Final = (3, 42, 0)
_THREADS: Final = 32
# More connections would only wait for each other: one process makes some hundred short transactions a second.
_POOL: Final[dict[str, Any]] = {"pool_size": 5, "max_overflow": 0, "pool_timeout": 120}
_WAKE_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class DbosSettings:
    """`executor` names this process and is never used again; `version` changes when old jobs must not be replayed."""

    name: str
    url: str
    executor: str
    version: str


def tuned_sqlite(url: str) -> Engine:
    """An engine whose transactions take the write lock when they begin, and wait for it.

    With DBOS's own, half of the processes that open a fresh file at the same moment die of "database is locked".
    """
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS}, **_POOL)

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # the driver begins nothing by itself
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
        # A lost connection is found out by its first use, and DBOS tries again: asking each time costs a quarter.
        db_engine_kwargs={**_POOL, "pool_pre_ping": False, **_connecting(settings.url)},
        enable_otlp=False,
        log_level="WARNING",
    )


def _connecting(url: str) -> dict[str, Any]:
    return {} if url.startswith("sqlite") else {"connect_args": connecting(make_url(url).query)}


def silence() -> None:
    """Keep DBOS's log out of the user's terminal: it adds a handler for the console unless it finds one of ours."""
    logger = logging.getLogger("dbos")
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
