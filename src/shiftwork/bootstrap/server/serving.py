"""What commands do about the server of a repository: start it, see what it has, and stop it."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from typing import Final

from shiftwork.adapters.hosting import log_file
from shiftwork.adapters.hosting.server_file import ServerRecord
from shiftwork.adapters.processes.host.process_identity import is_alive
from shiftwork.app.hosting.handover import HandedOverRun, handed_over
from shiftwork.bootstrap.server.living import had_server, living_server, reads_same_store
from shiftwork.bootstrap.server.open_server import server_log
from shiftwork.bootstrap.server.worker_command import server_command
from shiftwork.bootstrap.state.open_inbox import open_inbox
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import RunId
from shiftwork.errors import ServerBusyError, ServerError
from shiftwork.ports.views import Owner

_START_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 60.0
_SEE: Final = "shiftwork serve --status; then repeat this command"
_LOOK_SECONDS: Final = 0.05


def ensure_server(site: Site, env: Mapping[str, str]) -> ServerRecord:
    """The server of the repository; started if there is none, in a session of its own, so that closing the terminal
    does not end it. Raises ServerBusyError if it reads another database, and ServerError if none starts.
    """
    if found := _staying(site):
        return _of_this_store(site, found)
    log = server_log(site)
    with log_file.opened(log) as output:
        process = subprocess.Popen(  # noqa: S603 - our own command
            server_command(),
            cwd=site.root,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    until = time.monotonic() + _START_SECONDS
    while True:
        # Looked at before the server: of two that start at once, the one that has the file writes it within that time.
        over = process.poll() is not None or time.monotonic() > until
        if found := living_server(site):
            return _of_this_store(site, found)
        if over:
            raise ServerError(f"the server does not start: {log_file.last_words(log)}", hint=f"see {log}")
        time.sleep(_LOOK_SECONDS)


def _staying(site: Site) -> ServerRecord | None:
    """The server that lives; one that is stopping reads no more requests, and is waited for."""
    until = time.monotonic() + _STOP_SECONDS
    while (found := living_server(site)) and found.stopping:
        if time.monotonic() > until:
            raise ServerError(f"{found.owner} is the server of this repository, and is still stopping", hint=_SEE)
        time.sleep(_LOOK_SECONDS)
    return found


def _of_this_store(site: Site, found: ServerRecord) -> ServerRecord:
    if not reads_same_store(site, found):
        raise ServerBusyError(
            f"process {found.owner.pid} is the server of this repository, and it reads another database or has another"
            " sandbox than this command",
            hint="shiftwork serve --stop ends it; then repeat this command",
        )
    return found


async def handed_runs(site: Site) -> tuple[HandedOverRun, ...]:
    """The unfinished runs that a server works on or would work on."""
    if not had_server(site):
        return ()
    queries, box = open_queries(site), await open_inbox(site)
    found = (await handed_over(box.inbox, site.project)).values()
    rows = {handed.run: await queries.run(handed.run) for handed in found}
    return tuple(each for each in found if (row := rows[each.run]) and row.ended_at is None)


async def is_handed_over(site: Site, run: RunId) -> bool:
    """Whether the run belongs to a server, whether or not that lives."""
    return had_server(site) and run in await handed_over((await open_inbox(site)).inbox, site.project)


async def workers_left(site: Site) -> tuple[Owner, ...]:
    """The processes of this machine that work on runs of a server that is gone."""
    queries = open_queries(site)
    leases = [await queries.holder(handed.run) for handed in await handed_runs(site)]
    return tuple(lease.owner for lease in leases if lease and is_alive(lease.owner))


def end_in_order(owner: Owner) -> None:
    """Asks the process to end, and waits until it has; an end takes as long as its agents take. Raises
    ServerError for a process of another machine or container: here its pid is that of a stranger.
    """
    if is_alive(owner) is None:
        raise ServerError(f"{owner} runs on another machine or in a container", hint="shiftwork serve --stop, there")
    try:
        os.kill(owner.pid, signal.SIGTERM)
    except ProcessLookupError:
        return
    while is_alive(owner):
        time.sleep(_LOOK_SECONDS)
