"""The inbox of a run, for commands that send a request to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.store.open import open_store
from shiftwork.bootstrap.state.database_address import store_address
from shiftwork.config.site import Site
from shiftwork.ports.clock import Clock
from shiftwork.ports.store import EventStore, Inbox, Leases
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInbox:
    """Everything needed to send a request to a run and to see the result."""

    events: EventStore
    inbox: Inbox
    leases: Leases
    clock: Clock


@asynccontextmanager
async def open_inbox(site: Site) -> AsyncIterator[RunInbox]:
    """Call this only if the views show a run, because it creates a missing database."""
    store = open_store(store_address(site))
    try:
        yield RunInbox(events=store.events, inbox=store.inbox, leases=store.leases, clock=SystemClock())
    finally:
        store.close()
