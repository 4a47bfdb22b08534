"""The door between: the history and git without the engine, for commands that look deeper or clean up."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.processes.owners import is_alive, this_owner
from shiftwork.adapters.processes.reaper import HostReaper
from shiftwork.adapters.store.opening import open_store
from shiftwork.adapters.workspace.changes import GitChanges
from shiftwork.adapters.workspace.git import Identity
from shiftwork.adapters.workspace.hub import Hub, open_hub
from shiftwork.adapters.workspace.remains import GitRemains
from shiftwork.app.cleaning import Broom
from shiftwork.config.site import Site
from shiftwork.ports.changes import Changes
from shiftwork.ports.store import EventStore

_HARNESS: Final = Identity(name="Shiftwork", email="shiftwork@localhost")
"""Whose name is on what is kept: nobody has landed it."""


@asynccontextmanager
async def open_history(site: Site) -> AsyncIterator[EventStore]:
    """The streams of facts; to be opened where the views know of a run, since a database is made otherwise."""
    store = open_store(site.store_url)
    try:
        yield store.events
    finally:
        store.close()


async def open_changes(site: Site, env: Mapping[str, str]) -> Changes:
    return GitChanges(hub=await _hub(site, env))


@asynccontextmanager
async def open_broom(site: Site, env: Mapping[str, str]) -> AsyncIterator[Broom]:
    """What cleaning up needs. The state folder must be there."""
    clock = SystemClock()
    hub = await _hub(site, env)
    store = open_store(site.store_url)
    try:
        yield Broom(
            events=store.events,
            leases=store.leases,
            remains=GitRemains(hub=hub, desks=site.state / "runs", clock=clock),
            reaper=HostReaper(),
            clock=clock,
            owner=this_owner(clock.fresh()),
            alive=is_alive,
        )
    finally:
        store.close()


async def _hub(site: Site, env: Mapping[str, str]) -> Hub:
    return await open_hub(root=site.root, state=site.state, identity=_HARNESS, env=env)
