"""For commands that only read. Creates, migrates and locks nothing."""

from pathlib import Path
from typing import Final

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.store.reader import reader
from shiftwork.adapters.store.reader.archive_file import FOLDER
from shiftwork.adapters.store.reader.archived_queries import ArchivedQueries
from shiftwork.app.views.queries import Liveness, Silence
from shiftwork.bootstrap.state.database_address import store_address
from shiftwork.config.project import Ownership, registered
from shiftwork.config.site import Site
from shiftwork.errors import SettingsError
from shiftwork.ports.notebook import Notebook
from shiftwork.ports.store import FactFeed, Reader
from shiftwork.ports.views import Owner

_NO_PROJECT: Final = "-"
"""A project id without runs: before the first run, nothing is found."""

_PLACE: Final = 4
"""How many parts of a path identify a log: the logs folder, run, story and file."""

_SOON_SECONDS: Final = 1.0
"""An attempt never counts as stuck before that; it saves reading the settings."""


def open_queries(site: Site, *, patience: float = 0.0, once: bool = False) -> Reader:
    """The views of the runs of this project; empty if its state does not belong to the user. `once` is for a command
    that ends when it has read: opening a SQLite file takes longer than most queries, so it is opened once. While it is
    open, SQLite keeps the log of the last writer.
    """
    if _is_closed(site):
        return reader.no_queries()
    project = site.known_project or _NO_PROJECT
    queries = reader.open_queries(store_address(site), project, patience=patience, keeping=once)
    folder = site.state / FOLDER
    return ArchivedQueries(queries, lambda: queries.history, str(folder)) if folder.is_dir() else queries


def queries_of_all(site: Site) -> Reader:
    """The views of the runs of every project in the database, for listing."""
    if _is_closed(site):
        return reader.no_queries()
    return reader.open_queries(store_address(site))


def open_feed(site: Site, *, patience: float = 0.0) -> FactFeed:
    """The facts of this project, for a server that follows them. Raises StateError if its state is not the user's."""
    from shiftwork.adapters.store.reader import fact_feed  # noqa: PLC0415 - only a server needs it

    return fact_feed.open_feed(store_address(site), site.known_project or _NO_PROJECT, patience=patience)


def _is_closed(site: Site) -> bool:
    return site.stores_itself and site.ownership is Ownership.UNREGISTERED


def folders(site: Site) -> dict[str, str]:
    """The folders of the user's projects, by id."""
    return registered(site.state_home)


def now() -> float:
    return SystemClock().now()


def log_of(site: Site, log: str) -> Path:
    """The current path of an attempt's log: the history has its old path, and the repository may have been moved since.
    Its path within the state folder stays the same.
    """
    parts = Path(log).parts[-_PLACE:]
    return site.state.joinpath(*parts) if parts[:1] == ("logs",) else Path(log)


def prompt_of(site: Site, run: str, story: str, attempt: str) -> Path:
    """Where the prompt of an attempt is, until its folder is cleaned up."""
    return site.state / "runs" / run / story / attempt / "prompt.md"


def notebook_of(site: Site) -> Notebook:
    from shiftwork.adapters.notebook import FolderNotebook  # noqa: PLC0415 - one command needs it

    return FolderNotebook(site.state)


def silence(site: Site) -> Silence:
    """An attempt seems stuck after a third of the silence limit."""

    def silent(log: str) -> bool:
        try:
            quiet = now() - log_of(site, log).stat().st_mtime
        except OSError:
            return False
        return quiet > _SOON_SECONDS and quiet > _silence_seconds(site) / 3

    return silent


def _silence_seconds(site: Site) -> float:
    from shiftwork.config.settings.sections import AgentSettings  # noqa: PLC0415 - slow to import, rarely needed
    from shiftwork.config.settings.settings import load_settings  # noqa: PLC0415 - as above

    try:
        agent: AgentSettings = load_settings(site.root, {}).agent
    except SettingsError:
        agent = AgentSettings()
    return 60 * agent.silence_minutes


def liveness() -> Liveness:
    def alive(owner: Owner) -> bool | None:
        from shiftwork.adapters.processes.host.process_identity import is_alive  # noqa: PLC0415 - an ended run has no owner

        return is_alive(owner)

    return alive


def left_running(run: str) -> int:
    """How many processes on this host carry the run's marker; if no process works on the run, they are left over."""
    import asyncio  # noqa: PLC0415 - slow to import, rarely needed

    from shiftwork.adapters.processes.ending.reaper import HostReaper  # noqa: PLC0415

    return asyncio.run(HostReaper().alive(f"{run}/"))
