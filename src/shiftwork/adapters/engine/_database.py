"""How DBOS is set up: silent, and only as a library."""

import logging
from typing import Any, Final

from dbos import DBOSConfig, DBOSPortableJSONSerializer
from sqlalchemy import make_url

from shiftwork.adapters.unanswered import connecting
from shiftwork.records import dataclass

_THREADS: Final = 32
# More connections would only wait for each other: one process makes about a hundred short transactions a second.
_POOL: Final[dict[str, Any]] = {"pool_size": 5, "max_overflow": 0, "pool_timeout": 120}


@dataclass(frozen=True, slots=True, kw_only=True)
class DbosSettings:
    """`executor` names this process and is never reused. Jobs of another `version` are left alone.

    Without a `queue`, the process runs what it starts itself. Processes that name the same queue share the jobs: each
    runs at most `limit` of them at a time, and looks for more every `poll_seconds`.
    """

    name: str
    url: str
    executor: str
    version: str
    queue: str = ""
    limit: int = 100
    poll_seconds: float = 0.1


def configuration(settings: DbosSettings) -> DBOSConfig:
    """JSON instead of pickle; no admin server, telemetry or conductor; no listener, as nothing is sent through DBOS."""
    return DBOSConfig(
        name=settings.name,
        system_database_url=settings.url,
        executor_id=settings.executor,
        application_version=settings.version,
        serializer=DBOSPortableJSONSerializer(),
        use_listen_notify=False,
        max_executor_threads=_THREADS,
        # The first use of a lost connection fails and DBOS retries; a check before each use costs a quarter of the
        # time.
        db_engine_kwargs={
            **_POOL,
            "pool_pre_ping": False,
            "connect_args": connecting(make_url(settings.url).query),
        },
        enable_otlp=False,
        log_level="WARNING",
    )


def silence() -> None:
    """Keeps DBOS's log out of the user's terminal: DBOS adds a console handler unless a handler exists."""
    logger = logging.getLogger("dbos")
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
