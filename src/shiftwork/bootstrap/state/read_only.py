"""The quick door: what commands need that only look. Nothing is created, migrated or locked."""

from pathlib import Path
from typing import Final

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.store.reader import reader
from shiftwork.app.views.queries import Liveness, Silence
from shiftwork.bootstrap.state.database_address import store_address
from shiftwork.config.project import Standing, registered
from shiftwork.config.site import Site
from shiftwork.errors import SettingsError
from shiftwork.ports.views import Owner, Queries

_NO_PROJECT: Final = "-"
"""What no run belongs to: where nothing was run yet, nothing is found."""

_PLACE: Final = 4
"""How many parts of a path say which log it is: the folder of all, run, story and file."""

_SOON_SECONDS: Final = 1.0
"""Nobody is stuck before that, whatever the settings say: they are not even read."""


def open_queries(site: Site, *, patience: float = 0.0) -> Queries:
    """The views of the runs of this project; of none where its state is not the user's."""
    if _is_closed(site):
        return reader.no_queries()
    return reader.open_queries(store_address(site), site.known_project or _NO_PROJECT, patience=patience)


def queries_of_all(site: Site) -> Queries:
    """The views of the runs of every project that shares the database, to list them."""
    if _is_closed(site):
        return reader.no_queries()
    return reader.open_queries(store_address(site))


def _is_closed(site: Site) -> bool:
    return site.stores_itself and site.standing is Standing.UNREGISTERED


def folders(site: Site) -> dict[str, str]:
    """Where the user's projects lie, by their ids."""
    return registered(site.state_home)


def now() -> float:
    return SystemClock().now()


def log_of(site: Site, log: str) -> Path:
    """Where the log of an attempt is now: the history has the path that it had, and the repository may have been moved
    since. Within the state folder its place stays the same.
    """
    parts = Path(log).parts[-_PLACE:]
    return site.state.joinpath(*parts) if parts[:1] == ("logs",) else Path(log)


def silence(site: Site) -> Silence:
    """An attempt seems stuck after a third of the time after which its silence ends it."""

    def silent(log: str) -> bool:
        try:
            quiet = now() - log_of(site, log).stat().st_mtime
        except OSError:
            return False
        return quiet > _SOON_SECONDS and quiet > _silence_seconds(site) / 3

    return silent


def _silence_seconds(site: Site) -> float:
    from shiftwork.config.settings.sections import AgentSettings  # noqa: PLC0415 - heavy, and rarely asked for
    from shiftwork.config.settings.settings import load_settings  # noqa: PLC0415 - as above

    try:
        agent: AgentSettings = load_settings(site.root, {}).agent
    except SettingsError:
        agent = AgentSettings()
    return 60 * agent.silence_minutes


def liveness() -> Liveness:
    def alive(owner: Owner) -> bool | None:
        from shiftwork.adapters.processes.host.process_identity import is_alive  # noqa: PLC0415 - a run that is over has no owner

        return is_alive(owner)

    return alive


def left_running(run: str) -> int:
    """How many processes of this host bear the run's marker: where nobody works on it, they outlive whoever did."""
    import asyncio  # noqa: PLC0415 - heavy, and rarely asked for

    from shiftwork.adapters.processes.ending.reaper import HostReaper  # noqa: PLC0415

    return asyncio.run(HostReaper().alive(f"{run}/"))
