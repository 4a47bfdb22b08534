"""The server of a repository with its ports, and the file that says that it lives."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.hosting import log_file, server_file
from shiftwork.adapters.hosting.server_file import ServedRun, ServerFile, ServerRecord
from shiftwork.adapters.hosting.worker_processes import WorkerProcesses
from shiftwork.adapters.processes.host.process_identity import is_alive, this_owner
from shiftwork.adapters.store.plain_arrivals import PlainArrivals
from shiftwork.adapters.store.plain_store import open_plain_store
from shiftwork.adapters.store.reader.reader import open_queries
from shiftwork.app.hosting.schedule import GONE, Hosted
from shiftwork.app.hosting.supervision import Server, ServerPorts
from shiftwork.bootstrap.server.living import path_of, shared
from shiftwork.bootstrap.server.worker_command import without_consent, worker_command
from shiftwork.bootstrap.state import refused_resume
from shiftwork.bootstrap.state.database_address import store_address
from shiftwork.config.site import Site, open_state
from shiftwork.domain.core.ids import RunId
from shiftwork.errors import ShiftworkError
from shiftwork.git_folders import whereabouts
from shiftwork.records import dataclass, replace

_LOGS: Final = "server-logs"
_LOG: Final = "server.log"
_PATIENCE_SECONDS: Final = 1.0
"""With patience, queries of a Postgres database wait in a thread, and not in the loop that also serves HTTP."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The server, its workers, and what it does about its file and its log. It `remains` as long as its repository
    does, and `has_checkout` as long as the checkout that it serves from is there.
    """

    server: Server
    workers: WorkerProcesses
    publish: Callable[[str], None]
    retire: Callable[[], None]
    remains: Callable[[], bool]
    has_checkout: Callable[[], bool]
    tidy: Callable[[], None]


def server_log(site: Site) -> Path:
    """The log of a server without a terminal; creates its folder."""
    folder = site.state / _LOGS
    folder.mkdir(exist_ok=True, mode=0o700)
    return folder / _LOG


@contextmanager
def claimed_file(site: Site) -> Iterator[ServerFile | None]:
    """The server's file for this process alone; None if another process has it."""
    open_state(site)
    with server_file.held(path_of(site)) as file:
        yield file


async def open_server(
    site: Site, env: Mapping[str, str], file: ServerFile, max_runs: int, observe: Callable[[Hosted], None]
) -> Opened:
    """Writes the file, so that commands find the server from now on."""
    url, clock, log = store_address(site), SystemClock(), server_log(site)
    store = await open_plain_store(url)
    workers = WorkerProcesses(worker_command(), log.parent, without_consent(env), partial(_refusal, site))
    shown = _Shown(file, ServerRecord(owner=this_owner(clock.executor()), store=shared(url, env)))

    def changed(hosted: Hosted) -> None:
        shown.keep(hosted)
        observe(hosted)

    ports = ServerPorts(
        project=site.project,
        history=store.history,
        inbox=store.inbox,
        arrivals=PlainArrivals(url),
        queries=open_queries(url, site.project, patience=_PATIENCE_SECONDS),
        workers=workers,
        clock=clock,
        alive=is_alive,
        observe=changed,
    )
    return Opened(
        server=Server(ports, max_runs=max_runs),
        workers=workers,
        publish=shown.publish,
        retire=shown.retire,
        remains=file.remains,
        has_checkout=lambda: _is_checkout(site, str(site.root)),
        tidy=partial(_tidy, log, shown),
    )


def _refusal(site: Site, run: RunId, folder: str) -> str:
    """Why no worker of the run can work in this folder, which `status` then shows; empty if one can."""
    if _is_checkout(site, folder):
        return ""
    gone = f"{folder} is no checkout of this repository any more; in another one: shiftwork resume {run}"
    refused_resume.remember(site, run, gone)
    return gone


def _is_checkout(site: Site, folder: str) -> bool:
    """Whether the folder is a checkout of this repository. It comes from the database, which may be shared."""
    try:
        return whereabouts(Path(folder)).shared == site.shared
    except ShiftworkError:
        return False


def _tidy(log: Path, shown: "_Shown") -> None:
    log_file.cut(log)
    shown.catch_up()


class _Shown:
    """What the file says about this server, written again with each change."""

    def __init__(self, file: ServerFile, record: ServerRecord) -> None:
        self._file = file
        self._record = record
        self._is_behind = False
        file.write(record)

    def catch_up(self) -> None:
        """Writes what a full disk has refused."""
        if self._is_behind:
            self._write(self._record)

    def publish(self, address: str) -> None:
        self._write(replace(self._record, address=address))

    def retire(self) -> None:
        self._write(replace(self._record, stopping=True))

    def keep(self, hosted: Hosted) -> None:
        others = [served for served in self._record.runs if served.run != hosted.run]
        own = ServedRun(run=hosted.run, phase=hosted.phase.value, reason=hosted.reason)
        self._write(replace(self._record, runs=(*others, *(() if hosted.phase in GONE else (own,)))))

    def _write(self, record: ServerRecord) -> None:
        self._record = record
        self._is_behind = True
        with contextlib.suppress(OSError):  # a full disk: the server works on, and its file is behind
            self._file.write(record)
            self._is_behind = False
