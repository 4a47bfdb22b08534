"""Looks at a git directory before git does: whoever packs a folder chooses what its `.git` is made of.

Git follows links there, also where it writes: one below `logs` has a landing append to any file of the user's, one in
the place of the index replaces it. A pipe is waited for, and a device never ends. Git itself makes none of them.
"""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Final

from shiftwork.errors import UnfitRepositoryError
from shiftwork.git_folders import Whereabouts

_GITS: Final = re.compile(
    r"[A-Z_]+|index|sharedindex\..*|config|config\.worktree|packed-refs|shallow|commondir|gitdir|reftable"
    r"|refs|logs|info|objects|worktrees|rebase-merge|rebase-apply|sequencer"
)
"""What git itself keeps in a git directory. Tools keep more there, which no git of ours looks at."""

_READ_WHOLE: Final = frozenset({"HEAD", "config", "config.worktree", "commondir", "gitdir", "exclude", "attributes"})
_LARGEST: Final = 1 << 20
_WHOLE: Final = frozenset(
    {"refs", "logs", "info", "reftable", "worktrees", "rebase-merge", "rebase-apply", "sequencer"}
)
"""Folders in which every entry counts."""
_TOOLS: Final = ("fsmonitor--daemon", "modules", "hooks")
"""What tools keep in the folder of a worktree, too."""


def check_directory(place: Whereabouts) -> None:
    """Raise UnfitRepositoryError where something is in the git directory that git does not make, and would follow, wait
    for or read without end.
    """
    for folder in dict.fromkeys((place.shared, place.own)):
        for entry in _found(folder):
            if problem := _problem(entry):
                raise UnfitRepositoryError(
                    f"{entry.path} {problem}: git makes nothing of the kind, so nothing is read or written here",
                    hint=f"see what it is: ls -ld {quote(entry.path)}; "
                    f"git clone {quote(str(place.root))} ../clone makes a copy without it",
                )


def _found(folder: Path) -> Iterator[os.DirEntry[str]]:
    for entry in _entries(str(folder)):
        if not _GITS.fullmatch(entry.name):
            continue
        yield entry
        if entry.is_dir(follow_symlinks=False):
            if entry.name == "objects":
                yield from _of_objects(entry.path)
            elif entry.name in _WHOLE:
                yield from _below(entry.path)


def _of_objects(folder: str) -> Iterator[os.DirEntry[str]]:
    """Not single objects: git writes none that is there, and what is no object it does not take for one."""
    for entry in _entries(folder):
        yield entry
        if entry.name in {"info", "pack"} and entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path)


def _below(folder: str) -> Iterator[os.DirEntry[str]]:
    waiting = [folder]
    while waiting:
        for entry in _entries(waiting.pop()):
            if not entry.name.startswith(_TOOLS):
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:  # a branch is gone by now, and its folder with it
        return []
    except OSError as error:
        raise UnfitRepositoryError(
            f"{folder[:200]} cannot be read: {error.strerror}", hint="git fsck shows what else is wrong"
        ) from None


def _problem(entry: os.DirEntry[str]) -> str:
    """The kind is known without asking for it, so that thousands of refs take milliseconds."""
    if entry.is_symlink():
        return "is a link"
    if entry.is_dir(follow_symlinks=False):
        return ""
    if not entry.is_file(follow_symlinks=False):
        return "is neither a file nor a folder" if _is_there(entry) else ""
    if entry.name in _READ_WHOLE and entry.stat(follow_symlinks=False).st_size > _LARGEST:
        return f"has more than {_LARGEST >> 20} MiB"
    return ""


def _is_there(entry: os.DirEntry[str]) -> bool:
    try:
        return not stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False
