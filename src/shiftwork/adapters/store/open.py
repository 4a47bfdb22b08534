"""Opens a store: the four ports over one database."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import sqlalchemy as sa

from shiftwork.adapters.store.event_store import SqlEventStore
from shiftwork.adapters.store.inbox import SqlInbox
from shiftwork.adapters.store.leases import SqlLeases
from shiftwork.adapters.store.reader.reader import open_queries
from shiftwork.adapters.store.sql import schema
from shiftwork.adapters.store.sql.database import Database, create_engine, store_error
from shiftwork.ports.store import EventStore, Inbox, Leases
from shiftwork.ports.views import Queries


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """What belongs to one database; nothing of it may be used after `close`."""

    events: EventStore
    inbox: Inbox
    leases: Leases
    queries: Queries
    confined: Callable[[str], Queries]  # to a project
    close: Callable[[], None]


def open_store(url: str, *, patience: float = 0.0) -> Store:
    """Open `sqlite:////absolute/path.db` or `postgresql://user@host:port/name`, and bring its schema up to date.

    Any number of processes may open the same address, also for the first time. The SQLite file is made where there is
    none, its folder is not. Raises StoreError where the database cannot be reached or is of a newer release. A Postgres
    server that cannot be reached later on is waited for, so many seconds for each thing that is asked of it.
    """
    engine = create_engine(url)
    try:
        schema.upgrade(engine)
    except sa.exc.SQLAlchemyError as error:
        engine.dispose()
        raise store_error(engine, error) from error
    except BaseException:
        engine.dispose()
        raise
    database = Database(engine, patience)
    return Store(
        events=SqlEventStore(database),
        inbox=SqlInbox(database),
        leases=SqlLeases(database),
        queries=open_queries(url, patience=patience),
        confined=partial(open_queries, url, patience=patience),
        close=database.close,
    )
