"""The store's ports: one suite each, passed by the store in memory, on SQLite and on Postgres."""

import contextlib
from collections.abc import Iterator

import pytest

from shiftwork.adapters.store.memory import MemoryStore
from shiftwork.adapters.store.opening import open_store
from shiftwork.testing.inbox_conformance import InboxConformance
from shiftwork.testing.leases_conformance import LeasesConformance
from shiftwork.testing.store_conformance import EventStoreConformance, QueriesConformance
from shiftwork.testing.store_suite import Handle, Handles


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def handles(request: pytest.FixtureRequest) -> Iterator[Handles]:
    if request.param == "memory":
        memory = MemoryStore()
        yield lambda: memory
        return
    url = request.getfixturevalue(f"{request.param}_url")
    with contextlib.ExitStack() as opened:

        def another() -> Handle:
            store = open_store(url)
            opened.callback(store.close)
            return store

        yield another


class TestEventStore(EventStoreConformance):
    pass


class TestQueries(QueriesConformance):
    pass


class TestInbox(InboxConformance):
    pass


class TestLeases(LeasesConformance):
    pass
