"""The server that lives, for commands that only read: quick, because `status` asks too."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.hosting import server_file
from shiftwork.adapters.hosting.server_file import ServedRun, ServerRecord
from shiftwork.bootstrap.state.database_address import store_address
from shiftwork.config.site import Site, environment

__all__ = ["ServedRun", "ServerRecord", "had_server", "living_server", "reads_same_store", "will_continue"]

_FILE: Final = "server"
_CONTINUED: Final = frozenset({"queued", "working"})
"""The phases of a run that has a process or will have one."""


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
    server = living_server(site)
    return server is not None and any(each.run == run and each.phase in _CONTINUED for each in server.runs)


def reads_same_store(site: Site, record: ServerRecord) -> bool:
    """Whether the server reads the database that this command writes to, and has the same sandbox."""
    return record.store == shared(store_address(site), environment())


def shared(url: str, env: Mapping[str, str]) -> str:
    """What a server and its commands must have in common, the database and the sandbox, without the password that an
    address may contain.
    """
    return hashlib.sha256("\0".join((url, env.get("SHIFTWORK_SANDBOX", ""))).encode()).hexdigest()
