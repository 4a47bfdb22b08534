"""Everything that `gc` needs to clean up after runs."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.processes.ending.reaper import HostReaper
from shiftwork.adapters.processes.host.process_identity import is_alive, this_owner
from shiftwork.adapters.store.archives import FileArchives
from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.reader.archive_file import FOLDER
from shiftwork.adapters.workspace.hub.leftovers import FolderCaches, GitRemains
from shiftwork.app.commands.gc import ArchiveStores, Cleanup
from shiftwork.bootstrap.state.database_address import store_address
from shiftwork.bootstrap.state.open_git import open_hub
from shiftwork.config.project import gone_projects
from shiftwork.config.site import Site


@asynccontextmanager
async def open_cleanup(site: Site, env: Mapping[str, str]) -> AsyncIterator[Cleanup]:
    """The state folder must exist."""
    clock = SystemClock()
    hub = await open_hub(site, env)
    store = open_store(store_address(site))
    try:
        yield Cleanup(
            events=store.events,
            leases=store.leases,
            gone_caches=FolderCaches(
                home=site.cache.parent,
                gone=gone_projects(site.state_home),
                clock=clock,
            ),
            remains=GitRemains(hub=hub, attempt_folders=site.state / "runs", clock=clock),
            reaper=HostReaper(),
            clock=clock,
            owner=this_owner(clock.executor()),
            alive=is_alive,
            project=site.project,
            archive_stores=ArchiveStores(
                queries=store.confined(site.project),
                inbox=store.inbox,
                archives=FileArchives(site.state / FOLDER),
                retention=store.retention,
            ),
        )
    finally:
        store.close()
