"""Commits as values: a tree maps paths to files, and a commit has a tree, parents and a message."""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.errors import BranchGoneError, RepositoryError
from shiftwork.ports.clock import Clock
from shiftwork.ports.workspace import NOWHERE
from shiftwork.records import dataclass, field

PLAIN: Final = "100644"
PROGRAM: Final = "100755"
LINK: Final = "120000"

_GIT: Final = ".git"


class File(NamedTuple):
    """The content of a link is its target."""

    mode: str
    content: bytes

    @property
    def is_text(self) -> bool:
        return self.mode != LINK and b"\0" not in self.content


def split_lines(content: bytes) -> list[bytes]:
    r"""With their ends; only `\n` ends a line, as in git."""
    *whole, rest = content.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])


type Tree = Mapping[str, File]

NO_FILES: Final[Tree] = {}


class Difference(NamedTuple):
    """A path with its file in the old and in the new tree; None where there is none."""

    path: str
    old: File | None
    new: File | None

    @property
    def letter(self) -> str:
        if self.old is None or self.new is None:
            return "A" if self.old is None else "D"
        return "T" if LINK in {self.old.mode, self.new.mode} and self.old.mode != self.new.mode else "M"


def list_differences(old: Tree, new: Tree) -> list[Difference]:
    """In the order of git's trees."""
    paths = {path for path in (*old, *new) if old.get(path) != new.get(path)}
    return [Difference(path, old.get(path), new.get(path)) for path in sorted(paths, key=os.fsencode)]


def name_content(content: bytes) -> str:
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()


def name_tree(tree: Tree) -> str:
    rows = sorted((os.fsencode(path), file.mode, name_content(file.content)) for path, file in tree.items())
    return name_content(repr(("tree", rows)).encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitValue:
    """`at` is in whole seconds, as in git: two equal commits of one second are the same commit."""

    tree: Tree
    parents: tuple[Commit, ...]
    message: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitStore:
    """The repository and everything that outlives a process: what gates have found is among it."""

    clock: Clock
    values: dict[Commit, CommitValue] = field(default_factory=dict)
    branches: dict[str, Commit] = field(default_factory=dict)
    green: dict[tuple[str, tuple[Gate, ...]], GateReport] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)
    left_out: dict[tuple[str, str], str] = field(default_factory=dict)

    def record(self, tree: Tree, parents: Sequence[Commit], message: str, at: int | None = None) -> Commit:
        said = message.replace("\0", "").strip() + "\n"
        ordered = dict(sorted(tree.items(), key=lambda item: os.fsencode(item[0])))
        value = CommitValue(
            tree=ordered, parents=tuple(parents), message=said, at=int(self.clock.now()) if at is None else at
        )
        commit = Commit(name_content(repr((name_tree(tree), value.parents, said, value.at)).encode()))
        self.values.setdefault(commit, value)
        return commit

    def find(self, commit: Commit) -> CommitValue:
        if commit not in self.values:
            raise RepositoryError(f"the commit {commit} does not exist", hint="git log --all shows all commits")
        return self.values[commit]

    def tree(self, commit: Commit) -> Tree:
        return self.find(commit).tree

    def tip(self, branch: str) -> Commit:
        if branch not in self.branches:
            raise BranchGoneError(f"there is no branch {branch!r} with a commit", hint="git branch --list")
        return self.branches[branch]

    def list_history(self, commit: Commit) -> list[Commit]:
        """The commit and all that it contains, newest first."""
        found: set[Commit] = set()
        waiting = [commit]
        while waiting:
            if (present := waiting.pop()) not in found:
                found.add(present)
                waiting += self.find(present).parents
        return [known for known in reversed(self.values) if known in found]

    def contains(self, commit: Commit, ancestor: Commit) -> bool:
        return ancestor in self.list_history(commit)

    def merge_base(self, one: Commit, other: Commit) -> Commit:
        """The newest commit that both contain."""
        shared = set(self.list_history(other))
        return next((commit for commit in self.list_history(one) if commit in shared), NOWHERE)

    def list_new(self, base: Commit, tip: Commit) -> list[Commit]:
        """The commits that the tip contains and the base does not, newest first."""
        before = set(self.list_history(base)) if base else set[Commit]()
        return [commit for commit in self.list_history(tip) if commit not in before]


# Folders -------------------------------------------------------------------------------------------------------------


def read_folder(folder: Path) -> Tree:
    """All files below, without the repository of an agent."""
    return dict(_read_below(folder, ""))


def _read_below(folder: Path, above: str) -> Iterator[tuple[str, File]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name, path = f"{above}{entry.name}", Path(entry.path)
            if entry.is_symlink():
                yield name, File(LINK, os.fsencode(path.readlink()))
            elif entry.is_dir():
                if entry.name != _GIT:
                    yield from _read_below(path, f"{name}/")
            elif entry.is_file():
                program = entry.stat().st_mode & stat.S_IXUSR
                yield name, File(PROGRAM if program else PLAIN, path.read_bytes())


def write_folder(folder: Path, tree: Tree) -> None:
    """Makes the folder's files those of the tree; a file that has not changed is not written again."""
    folder.mkdir(parents=True, exist_ok=True)
    changes = list_differences(read_folder(folder), tree)
    for change in changes:
        if change.old is not None:
            remove_file(folder, folder / change.path)
    for change in changes:
        if change.new is not None:
            write_file(folder / change.path, change.new)


def remove_file(folder: Path, path: Path) -> None:
    """With the folders below `folder` that are empty then."""
    path.unlink()
    while (path := path.parent) != folder and not any(path.iterdir()):
        path.rmdir()


def write_file(path: Path, file: File) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if file.mode == LINK:
        path.symlink_to(os.fsdecode(file.content))
        return
    path.write_bytes(file.content)
    if file.mode == PROGRAM:
        path.chmod(0o755)
