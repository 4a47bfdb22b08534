"""Everything that Shiftwork has written on this machine, for `shiftwork uninstall`: found by where it writes.

A commit on the user's branches is the user's, a branch `shiftwork/landed/…` may have work that is nowhere else, and
`shiftwork.toml` is written for the user to edit: these stay, and are only listed.
"""

import contextlib
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from shiftwork.adapters.processes.host.process_identity import is_alive
from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.workspace.git.git import Git
from shiftwork.adapters.workspace.git.user_git import user_git
from shiftwork.adapters.workspace.hub.leftovers import measure_bytes
from shiftwork.adapters.workspace.tree.untrusted_files import erase
from shiftwork.bootstrap.server.living import living_server
from shiftwork.bootstrap.state.database_address import store_address
from shiftwork.config import site as sites
from shiftwork.config.project import registered
from shiftwork.config.site import SETTINGS_FILE, Site, find_site
from shiftwork.config.user import user_folder
from shiftwork.errors import ShiftworkError
from shiftwork.git_folders import is_project_id
from shiftwork.records import dataclass

_REFS = "refs/shiftwork"
_HOLDING = "refs/heads/shiftwork"


class Purpose(StrEnum):
    """What something is for."""

    CACHE = "working trees and environments"
    STATE = "which repositories are yours"
    CONSENTS = "what you have trusted"
    HISTORY = "history, logs, saved work"
    PINS = "refs that keep commits of unfinished work"
    SETTINGS = "settings of the repository"
    HOLDING_BRANCH = "a branch with landed work"
    DATABASE = "a database that others may use"


_STAYING = frozenset({Purpose.SETTINGS, Purpose.HOLDING_BRANCH, Purpose.DATABASE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A folder, a file, or something in a repository; `repository` is empty for the user's own folders."""

    name: str
    purpose: Purpose
    bytes: int = 0
    repository: str = ""

    @property
    def stays(self) -> bool:
        return self.purpose in _STAYING


async def list_written(env: Mapping[str, str]) -> tuple[Written, ...]:
    """Only what is there: the user's own folders, then each repository that is still where it was."""
    own = [Written(name=str(path), purpose=purpose, bytes=measure_bytes(path)) for purpose, path in _own_entries(env)]
    return (*own, *[entry for site in _own_sites(env) async for entry in _in_repository(site, env)])


async def find_work_in_progress(env: Mapping[str, str]) -> str:
    """The checkout of a repository in which a process works; empty if there is none on this machine."""
    for site in _own_sites(env):
        if living_server(site) is not None:
            return str(site.root)
        if site.stores_itself and site.own_store.exists():
            store = open_store(store_address(site))
            try:
                holders = await store.leases.holders()
            finally:
                store.close()
            if any(is_alive(lease.owner) for lease in holders):
                return str(site.root)
    return ""


async def remove_written(env: Mapping[str, str]) -> tuple[Written, ...]:
    """Removes all of the list but what stays. What says which repositories are the user's goes last: after a kill, the
    same call finds the rest.
    """
    written = await list_written(env)
    for site in _own_sites(env):
        git = user_git(root=site.root, state=site.state, env=env)
        pins = [pin for pin, _ in await _refs_below(git, _REFS)]
        if pins:
            commands = "".join(f"delete {pin}\n" for pin in pins)
            await git.run("update-ref", "--stdin", stdin=commands.encode())
        erase(site.state)
    for _, path in _own_entries(env):
        erase(path)
    for home in _homes(env):
        with contextlib.suppress(OSError):  # it is not empty: the rest is somebody else's
            home.rmdir()
    return written


def _homes(env: Mapping[str, str]) -> tuple[Path, Path, Path]:
    return sites.cache_home(env), user_folder(env), sites.state_home(env)


def _own_entries(env: Mapping[str, str]) -> Iterator[tuple[Purpose, Path]]:
    """What we have put into these folders: a variable may name one that other programs use, too. The registry of
    projects is last.
    """
    cache, consents, state = _homes(env)
    if cache.is_dir():
        yield from ((Purpose.CACHE, path) for path in sorted(cache.iterdir()) if is_project_id(path.name))
    own = [(Purpose.CONSENTS, consents / "trust")]
    own += [(Purpose.STATE, state / name) for name in ("leases", "logins", "projects.lock", "projects")]
    yield from ((purpose, path) for purpose, path in own if path.exists())


def _own_sites(env: Mapping[str, str]) -> Iterator[Site]:
    """The repositories that are still there and whose state is the user's."""
    for checkout in sorted(registered(sites.state_home(env)).values()):
        if os.path.isdir(checkout):  # noqa: PTH112 - the path may not be valid text
            try:
                site = find_site(Path(checkout), env)
            except ShiftworkError:  # another repository is there now
                continue
            if site.known_project:
                yield site


async def _in_repository(site: Site, env: Mapping[str, str]) -> AsyncIterator[Written]:
    root = str(site.root)
    yield Written(name=str(site.state), purpose=Purpose.HISTORY, bytes=measure_bytes(site.state), repository=root)
    git = user_git(root=site.root, state=site.state, env=env)
    if pins := await _refs_below(git, _REFS):
        yield Written(name=f"{len(pins)} x {_REFS}/…", purpose=Purpose.PINS, repository=root)
    for branch, _ in await _refs_below(git, _HOLDING):
        name = branch.removeprefix("refs/heads/")
        yield Written(name=name, purpose=Purpose.HOLDING_BRANCH, repository=root)
    if (site.root / SETTINGS_FILE).exists():
        yield Written(name=str(site.root / SETTINGS_FILE), purpose=Purpose.SETTINGS, repository=root)
    if not site.stores_itself:
        yield Written(name=site.store_url.rpartition("@")[2], purpose=Purpose.DATABASE, repository=root)


async def _refs_below(git: Git, prefix: str) -> list[tuple[str, str]]:
    listed = await git.run("for-each-ref", "--format=%(refname) %(objectname)", f"{prefix}/")
    return [(name, commit) for name, commit in (line.split(" ", 1) for line in listed.text.splitlines())]
