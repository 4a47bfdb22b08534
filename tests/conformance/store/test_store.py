"""The store's ports: one suite each, passed by the store in memory, on SQLite and on Postgres."""

import contextlib
from collections.abc import Iterator

import pytest

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.plain_store import open_plain_store
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.testing.conformance.event_store import EventStoreConformance
from shiftwork.testing.conformance.inbox import InboxConformance, MessageBoxConformance
from shiftwork.testing.conformance.leases import LeasesConformance
from shiftwork.testing.conformance.queries import QueriesConformance
from shiftwork.testing.conformance.store_stage import Handle, Handles, InboxHandles


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


class TestPlainInbox(MessageBoxConformance):
    @pytest.fixture(params=["sqlite", "postgres"])
    def handles(self, request: pytest.FixtureRequest) -> InboxHandles:
        url = request.getfixturevalue(f"{request.param}_url")
        return lambda: answer(lambda: open_plain_store(url))


class TestLeases(LeasesConformance):
    pass
