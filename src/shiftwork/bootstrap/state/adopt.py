"""Takes over state that somebody else has made: looked through first, and without what could be believed wrongly."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.hub.hub_setup import strip
from shiftwork.adapters.workspace.tree.untrusted_files import erase
from shiftwork.config import project
from shiftwork.config.project import Standing
from shiftwork.config.site import Site
from shiftwork.errors import StateError

_KEPT: Final = frozenset(
    {"project", "state.db", "state.db-wal", "hub.git", "runs", "logs", "diffs", "bundles", "set-aside"}
)
"""What runs have done and said. The rest is made again: what is known of gates, indexes, the engine's own database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """`same` is false where the project that this is a copy of is still there: its runs stay its own."""

    state: Path
    project: str
    same: bool


def adopt(site: Site) -> Adopted:
    """Raises StateError where there is nothing to adopt, or where it has what the harness never makes."""
    match site.standing:
        case Standing.NONE:
            raise StateError(f"there is no state in {site.shared}", hint='shiftwork run "what you want done"')
        case Standing.OWN:
            raise StateError(f"{site.state} is yours already", hint="shiftwork status --all")
        case Standing.UNREGISTERED:
            _check(site.state)
            for entry in list(site.state.iterdir()):
                if entry.name not in _KEPT:
                    erase(entry)
            strip(site.state)
            _close(site.state)
            known, same = project.adopted(site.whereabouts, site.state_home)
            return Adopted(state=site.state, project=known, same=same)


def _check(folder: Path) -> None:
    """Nothing that leads elsewhere, that another user can change, or that is not a file or a folder."""
    for entry in _all(folder):
        found = entry.stat(follow_symlinks=False)
        if wrong := _wrong(found):
            raise StateError(
                f"{entry.path} is {wrong}: shiftwork makes none, so that nothing of {folder} is adopted",
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
    return "a file with a second name" if found.st_nlink > 1 else ""


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
