"""Finds a checkout's own git directory and the git directory that all worktrees of the repository share.

Reads files instead of starting git, because git takes longer to start than `status` takes to answer, and because git
trusts any file that says where its repository is.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from shiftwork.bounded import read_bytes
from shiftwork.errors import UnfitRepositoryError

FOLDER: Final = "shiftwork"
"""The name of the state folder in the shared git directory."""
_LONGEST: Final = 1 << 16
_PACKED: Final = 1 << 26
_COMMIT: Final = frozenset({40, 64})
"""How long the names of commits are."""

PROJECT_ID_BYTES: Final = 6
_DIGITS: Final = frozenset("0123456789abcdef")


def is_project_id(text: str) -> bool:
    """Whether this may be the id of a project, which also names its folder in the cache."""
    return len(text) == 2 * PROJECT_ID_BYTES and _DIGITS.issuperset(text)


class Whereabouts(NamedTuple):
    """A checkout: its root, the git directory that all worktrees share, and the name of a linked worktree or ""."""

    root: Path
    shared: Path
    worktree: str

    @property
    def own(self) -> Path:
        """The git directory of this checkout alone."""
        return self.shared / "worktrees" / self.worktree if self.worktree else self.shared

    @property
    def state(self) -> Path:
        return self.shared / FOLDER


def whereabouts(root: Path) -> Whereabouts:
    """Reads files, because git takes longer to start than `status` takes to answer. Raises UnfitRepositoryError if the
    path to the state contains a link, another user's folder or a folder of another repository.
    """
    own = _own(root)
    shared = _shared(own)
    worktree = "" if shared == own else own.name
    if worktree and not _points_back(own, shared, root):
        raise UnfitRepositoryError(
            f"{root} says that it is a worktree of {shared}, but that repository does not list it",
            hint=f"git worktree repair in the main checkout, or git worktree add; see ls -l {own}",
        )
    for folder in dict.fromkeys((own, shared)):
        _check_owner(folder)
    return Whereabouts(root=root, shared=shared, worktree=worktree)


def checkout_of(shared: Path, worktree: str) -> Path | None:
    """Where git last knew a linked worktree of the repository, or the main checkout if the name is empty; None if git
    does not say so. Whether there is a checkout is for `whereabouts` to find out.
    """
    if not worktree:
        return shared.parent if shared.name == ".git" else None
    with suppress(UnfitRepositoryError):
        own = shared / "worktrees" / worktree
        return (own / _line(own / "gitdir")).parent
    return None


def holding_branch(branch: str) -> str:
    """Where work lands while moving the branch itself would disturb the user."""
    return f"shiftwork/landed/{branch}"


def branch_commit(shared: Path, branch: str) -> str:
    """The commit of a branch; empty where there is none, or where the answer needs git."""
    name = f"refs/heads/{branch}"
    with suppress(OSError):
        return _commit_in(read_bytes(shared / name, _LONGEST))
    with suppress(OSError):
        packed = b"\n" + read_bytes(shared / "packed-refs", _PACKED)
        before, found, _ = packed.partition(b" " + os.fsencode(name) + b"\n")
        return _commit_in(before.rpartition(b"\n")[2]) if found else ""
    return ""


def _commit_in(content: bytes) -> str:
    text = os.fsdecode(content).strip()
    return text if len(text) in _COMMIT and _DIGITS.issuperset(text) else ""


def _own(root: Path) -> Path:
    """The git directory of this checkout."""
    entry = root / ".git"
    mode = _check_owner(entry)
    if stat.S_ISDIR(mode):
        return entry
    if not stat.S_ISREG(mode):
        kind = "a link" if stat.S_ISLNK(mode) else "neither a folder nor a file"
        raise UnfitRepositoryError(f"{entry} is {kind}", hint=f"see what it is: ls -ld {entry}")
    line = _line(entry)
    return (root / line.removeprefix("gitdir:").strip()).resolve()


def _shared(own: Path) -> Path:
    named = own / "commondir"
    if not os.path.lexists(named):
        return own
    return (own / _line(named)).resolve()


def _points_back(own: Path, shared: Path, root: Path) -> bool:
    """Only git writes below `worktrees` of a repository. Any other folder could claim to be a worktree."""
    if own.parent != shared / "worktrees":
        return False
    with suppress(UnfitRepositoryError):
        return (own / _line(own / "gitdir")).resolve() == (root / ".git").resolve()
    return False


def _line(file: Path) -> str:
    try:
        return os.fsdecode(read_bytes(file, _LONGEST)).strip()
    except OSError as error:
        reason = error.strerror or error
        raise UnfitRepositoryError(f"{file} cannot be read: {reason}", hint=f"see what it is: ls -ld {file}") from None


def _check_owner(place: Path) -> int:
    """The file mode, without following links. Another user could change their own files while we read them."""
    try:
        found = place.lstat()
    except OSError as error:
        raise UnfitRepositoryError(f"{place} cannot be read: {error.strerror}", hint="git status") from None
    if found.st_uid != os.geteuid():
        raise UnfitRepositoryError(
            f"{place} belongs to another user (uid {found.st_uid}): nothing there is read",
            hint=f"work in a clone of your own: git clone {place.parent} mine && cd mine",
        )
    return found.st_mode
