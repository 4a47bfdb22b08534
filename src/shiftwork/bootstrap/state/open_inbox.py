"""The inbox of a run, for commands that send a request to it; and the whole store, for those that start a run."""

from collections.abc import Iterator
from contextlib import contextmanager

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.store.plain_store import open_plain_store
from shiftwork.bootstrap.state.database_address import store_address
from shiftwork.config.site import Site
from shiftwork.ports.clock import Clock
from shiftwork.ports.store import EventStore, History, Leases, MessageBox
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInbox:
    """Everything needed to send a request to a run and to see the result."""

    events: History
    inbox: MessageBox
    clock: Clock


async def open_inbox(site: Site) -> RunInbox:
    """Call this only if the views show a run, because it creates a missing database. Never suspends."""
    store = await open_plain_store(store_address(site))
    return RunInbox(events=store.history, inbox=store.inbox, clock=SystemClock())


@contextmanager
def open_leases(site: Site) -> Iterator[tuple[EventStore, Leases]]:
    """The history and the leases, opened as a run opens them: creates a missing database."""
    from shiftwork.adapters.store.open import open_store  # noqa: PLC0415 - slow to load, and a message needs less

    store = open_store(store_address(site))
    try:
        yield store.events, store.leases
    finally:
        store.close()
