"""Checks a git directory before git reads it: the author of an archive controls the content of its `.git`.

Git follows links there, also when writing: a link below `logs` makes a landing append to any file of the user, a link
in place of the index replaces it. Git would wait for a pipe and read a device forever. Git itself creates none of
these.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Final

from shiftwork.errors import UnfitRepositoryError
from shiftwork.git_folders import Whereabouts
from shiftwork.regexes import regex

_GITS: Final = regex(
    r"[A-Z_]+|index|sharedindex\..*|config|config\.worktree|packed-refs|shallow|commondir|gitdir|reftable"
    r"|refs|logs|info|objects|worktrees|rebase-merge|rebase-apply|sequencer"
)
"""What git itself keeps in a git directory. Tools keep more there, which our git never reads."""

_READ_WHOLE: Final = frozenset({"HEAD", "config", "config.worktree", "commondir", "gitdir", "exclude", "attributes"})
_LARGEST: Final = 1 << 20
_WHOLE: Final = frozenset(
    {"refs", "logs", "info", "reftable", "worktrees", "rebase-merge", "rebase-apply", "sequencer"}
)
"""Folders in which every entry is checked."""
_TOOLS: Final = ("fsmonitor--daemon", "modules", "hooks")
"""Entries of tools, also in the folder of a worktree."""


def check_directory(place: Whereabouts) -> None:
    """Raises UnfitRepositoryError if the git directory has an entry that git never creates, and that git would follow,
    wait for or read without end.
    """
    for folder in dict.fromkeys((place.shared, place.own)):
        for entry in _found(folder):
            if problem := _problem(entry):
                raise UnfitRepositoryError(
                    f"{entry.path} {problem}: git does not create this, so nothing is read or written here",
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
    """Skips single objects: git never overwrites an existing object, and rejects a file that is not an object."""
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
    except FileNotFoundError:  # the branch and its folder were just deleted
        return []
    except OSError as error:
        raise UnfitRepositoryError(
            f"{folder[:200]} cannot be read: {error.strerror}", hint="git fsck shows what else is wrong"
        ) from None


def _problem(entry: os.DirEntry[str]) -> str:
    """Uses the entry's known type without another system call, so that thousands of refs take milliseconds."""
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
