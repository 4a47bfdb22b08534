"""The server that lives, for commands that only read: quick, because `status` asks too."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.hosting import server_file
from shiftwork.adapters.hosting.server_file import ServedRun, ServerRecord
from shiftwork.app.views.run_views import Activity, RunOutline
from shiftwork.bootstrap.state.database_address import store_address
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.ids import RunId

__all__ = [
    "ServedRun",
    "ServerRecord",
    "had_server",
    "living_server",
    "reads_same_store",
    "will_continue",
    "will_resume",
]

_FILE: Final = "server"
_CONTINUED: Final = frozenset({"queued", "working"})
"""The phases of a run that has a process or will have one."""

_RESTING: Final = "resting"


def path_of(site: Site) -> Path:
    return site.state / _FILE


def had_server(site: Site) -> bool:
    """Whether a server has ever worked on the repository: most never have one."""
    return bool(site.known_project) and path_of(site).exists()


def living_server(site: Site) -> ServerRecord | None:
    """The server that works on the repository, if any."""
    return server_file.living(path_of(site)) if had_server(site) else None


def will_continue(site: Site, run: str) -> bool:
    """Whether a living server has a process for the run, which may have just started, or will start one."""
    return _phase(site, run) in _CONTINUED


async def will_resume(site: Site, view: RunOutline) -> bool:
    """As `will_continue`, for a run without a process that may be paused. The server has a paused run beside it, and
    continues it once the pause has ended: that request is unread until a process works on the run.
    """
    run = RunId(view.run.run)
    if view.activity is not Activity.PAUSED:
        return will_continue(site, run)
    if _phase(site, run) not in {*_CONTINUED, _RESTING}:
        return False
    from shiftwork.app.commands.runs import forecast  # noqa: PLC0415 - see the first line; rarely needed
    from shiftwork.bootstrap.state.open_inbox import open_inbox  # noqa: PLC0415 - as above

    box = await open_inbox(site)
    return not (await forecast(box.events, box.inbox, run)).requests.paused


def _phase(site: Site, run: str) -> str:
    """What a living server does about the run; empty if it does not have it."""
    server = living_server(site)
    return next((each.phase for each in server.runs if each.run == run), "") if server else ""


def reads_same_store(site: Site, record: ServerRecord) -> bool:
    """Whether the server reads the database that this command writes to, and has the same sandbox."""
    return record.store == shared(store_address(site), environment())


def shared(url: str, env: Mapping[str, str]) -> str:
    """What a server and its commands must have in common, the database and the sandbox, without the password that an
    address may contain.
    """
    return hashlib.sha256("\0".join((url, env.get("SHIFTWORK_SANDBOX", ""))).encode()).hexdigest()
