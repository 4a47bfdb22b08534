"""Opens a store: the ports over one database."""

from collections.abc import Callable
from functools import partial

import sqlalchemy as sa

from shiftwork.adapters.store.event_store import SqlEventStore
from shiftwork.adapters.store.inbox import SqlInbox
from shiftwork.adapters.store.leases import SqlLeases
from shiftwork.adapters.store.reader.reader import open_queries
from shiftwork.adapters.store.retention import SqlRetention
from shiftwork.adapters.store.sql import schema
from shiftwork.adapters.store.sql.database import Database, create_engine, store_error
from shiftwork.ports.store import EventStore, Inbox, Leases, Retention
from shiftwork.ports.views import Queries
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """The ports of one database; do not use them after `close`."""

    events: EventStore
    inbox: Inbox
    leases: Leases
    queries: Queries
    confined: Callable[[str], Queries]  # limited to a project
    retention: Retention
    close: Callable[[], None]


def open_store(url: str, *, patience: float = 0.0) -> Store:
    """Opens `sqlite:////absolute/path.db` or `postgresql://user@host:port/name`, and upgrades its schema.

    Any number of processes may open the same address, also for the first time. A missing SQLite file is created, its
    folder is not. Raises StoreError when the database cannot be reached or was made by a newer release. If a Postgres
    server cannot be reached later, each operation retries for `patience` seconds.
    """
    engine = create_engine(url)
    try:
        schema.upgrade(engine)
        database = Database(engine, patience)
        inbox = SqlInbox(database)
    except sa.exc.SQLAlchemyError as error:
        engine.dispose()
        raise store_error(engine, error) from error
    except BaseException:
        engine.dispose()
        raise

    def close() -> None:
        inbox.close()
        database.close()

    return Store(
        events=SqlEventStore(database),
        inbox=inbox,
        leases=SqlLeases(database),
        queries=open_queries(url, patience=patience),
        confined=partial(open_queries, url, patience=patience),
        retention=SqlRetention(database),
        close=close,
    )
