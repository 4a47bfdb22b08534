"""Adopts state that was created elsewhere: checks it first, and removes everything that must not be trusted."""

import os
import stat
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.hub.hub_setup import strip
from shiftwork.adapters.workspace.tree.untrusted_files import erase
from shiftwork.config import project
from shiftwork.config.project import Ownership
from shiftwork.config.site import Site
from shiftwork.errors import StateError
from shiftwork.records import dataclass

_KEPT: Final = frozenset(
    {"project", "state.db", "state.db-wal", "hub.git", "runs", "logs", "diffs", "bundles", "set-aside"}
)
"""The records of runs. The rest is rebuilt: knowledge about gates, indexes, the engine's own database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """`same` is False if the project that this is a copy of still exists: that project keeps its runs."""

    state: Path
    project: str
    same: bool


def adopt(site: Site) -> Adopted:
    """Raises StateError if there is nothing to adopt, or if the folder contains entries that the harness never
    creates.
    """
    match site.ownership:
        case Ownership.NONE:
            raise StateError(f"there is no state in {site.shared}", hint='shiftwork run "what you want done"')
        case Ownership.OWN:
            raise StateError(f"{site.state} already belongs to you", hint="shiftwork status --all")
        case Ownership.UNREGISTERED:
            _check(site.state)
            for entry in list(site.state.iterdir()):
                if entry.name not in _KEPT:
                    erase(entry)
            strip(site.state)
            _close(site.state)
            known, same = project.adopted(site.whereabouts, site.state_home)
            return Adopted(state=site.state, project=known, same=same)


def _check(folder: Path) -> None:
    """Raises StateError for links, entries that another user can change, and anything but files and folders."""
    for entry in _all(folder):
        found = entry.stat(follow_symlinks=False)
        if wrong := _wrong(found):
            raise StateError(
                f"{entry.path} is {wrong}: shiftwork never creates such an entry, so nothing in {folder} is adopted",
                hint=f"look at it, then: rm -r {folder}",
            )


def _wrong(found: os.stat_result) -> str:
    if stat.S_ISLNK(found.st_mode):
        return "a link"
    if found.st_uid != os.geteuid():
        return f"another user's (uid {found.st_uid})"
    if stat.S_ISDIR(found.st_mode):
        return ""
    if not stat.S_ISREG(found.st_mode):
        return "neither a file nor a folder"
    return "a file with a second hard link" if found.st_nlink > 1 else ""


def _close(folder: Path) -> None:
    folder.chmod(0o700)
    for entry in _all(folder):
        Path(entry.path).chmod(0o700 if entry.is_dir(follow_symlinks=False) else 0o600)


def _all(folder: Path) -> list[os.DirEntry[str]]:
    found: list[os.DirEntry[str]] = []
    waiting: list[str] = [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                found.append(entry)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return found
