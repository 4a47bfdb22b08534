"""The hub: a bare repository beside the user's that borrows their objects, and holds the agents' work.

The state folder contains `hub.git`, `git/` (ignore rules of the harness's git for each checkout), `indexes/` (the
indexes of the trees, out of agents' reach) and `set-aside/` (files that git could not store). The trees themselves are
in `workspaces/` of the cache folder, outside of the user's repository, so that no tool finds the user's configuration
or packages above them.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.workspace.git.commit_object import (
    Snapshot,
    commit_text,
    is_named,
    read_commit,
    reworded,
    write_commit,
)
from shiftwork.adapters.workspace.git.git import Answer, Git, Identity
from shiftwork.adapters.workspace.git.name_status import Row
from shiftwork.adapters.workspace.hub.tree_contents import Listed, TreeContents
from shiftwork.adapters.workspace.tree.untrusted_files import erase, outlast, overwrite, write_whole
from shiftwork.domain.core.ids import Commit
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Place
from shiftwork.records import dataclass, field

_NAME_CHARACTERS: Final = 60
_COMMITS_KNOWN: Final = 1000

BIG_FILE: Final = "32m"
"""Git streams a larger file where this is set: it would hold it in memory once or twice."""

_BIG_PACK: Final = 32 * 1024 * 1024


def stream_large_files(git: Git) -> Git:
    """For commands that read or write trees, and no objects. One that compares a streamed file with a commit compresses
    it too, for nothing: without the second setting that takes ten times as long.
    """
    return git.setting("core.bigFileThreshold", BIG_FILE).setting("pack.compression", "0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """Created by `open_hub`. `git` runs on the hub, `user` in the user's repository."""

    root: Path
    state: Path
    cache: Path
    common: Path
    objects: Path
    object_format: str
    carried: str
    identity: Identity
    git: Git
    user: Git
    excludes: bytes
    trees: dict[Commit, str] = field(default_factory=dict)
    parents: dict[Commit, Commit] = field(default_factory=dict)
    contents: TreeContents = field(default_factory=TreeContents)

    @property
    def path(self) -> Path:
        return self.state / "hub.git"

    @property
    def excludes_file(self) -> Path:
        return excludes_file_of(self.state, self.root)

    def pin(self, name: str, commit: Commit) -> None:
        """Points `refs/shiftwork/<name>` of the hub at the commit, so that gc keeps it.

        Writes a file instead of running `update-ref`: only we write to the hub's refs, and it takes a fiftieth of the
        time while every step waits.
        """
        overwrite(self.path / "refs" / "shiftwork" / name, f"{commit}\n".encode())

    def move_pin(self, old: str, new: str, commit: Commit) -> None:
        """Pins the commit under the new name instead of the old; the old pin need not exist."""
        pins = self.path / "refs" / "shiftwork"
        if self.is_pinned(old):
            self.pin(old, commit)
            (pins / new).parent.mkdir(parents=True, exist_ok=True)
            (pins / old).rename(pins / new)
        else:
            self.pin(new, commit)

    def is_pinned(self, name: str) -> bool:
        return (self.path / "refs" / "shiftwork" / name).is_file()

    def unpin(self, name: str) -> None:
        """Removes one pin, or all pins below the name."""
        erase(self.path / "refs" / "shiftwork" / name)

    async def commit(self, tree: str, parents: Sequence[Commit], message: str) -> Commit:
        text = message.replace("\0", "").strip() + "\n"
        arguments = [argument for parent in parents for argument in ("-p", parent)]
        answer = await self.git.run("commit-tree", tree, *arguments, "-F", "-", stdin=text.encode(errors="replace"))
        return Commit(answer.text)

    async def tree_of(self, commit: Commit) -> str:
        """The tree of a commit; recent trees are cached, because every step needs its parent's."""
        if commit not in self.trees:
            self.know_tree(commit, (await self.git.run("rev-parse", f"{commit}^{{tree}}")).text)
        return self.trees[commit]

    def know_tree(self, commit: Commit, tree: str) -> None:
        _remember(self.trees, commit, tree)

    async def differing(self, old: str, new: str) -> Sequence[Row]:
        """The files in which two commits or trees differ."""
        known = [self.trees.get(Commit(name), name) for name in (old, new)]
        return await self.contents.differing(self.git, *known)

    async def listed(self, commit: Commit) -> Mapping[str, Listed]:
        """The files of a commit, by path."""
        return await self.contents.listed(self.git, await self.tree_of(commit))

    def record(self, tree: str, parent: Commit, message: str) -> Commit:
        """Creates a commit with one parent."""
        snapshot = Snapshot(tree=tree, parent=parent, identity=self.identity, at=SystemClock().now(), message=message)
        return self._write(commit_text(snapshot), tree, parent)

    async def reword(self, commit: Commit, parent: Commit, message: str) -> Commit:
        """A commit with the tree, author and time of this commit, and so the same every time. Raises RepositoryError if
        the commit's object was replaced.
        """
        text = read_commit(self.path / "objects", commit)
        if text is None:
            text = (await self.git.run("cat-file", "commit", commit)).out
        if not is_named(commit, self.object_format, text):
            raise RepositoryError(f"commit {commit[:12]} is not what was checked: its object was changed")
        tree = text.partition(b"\n")[0].decode().removeprefix("tree ")
        return self._write(reworded(text, parent, message), tree, parent)

    def _write(self, text: bytes, tree: str, parent: Commit) -> Commit:
        commit = write_commit(self.path / "objects", self.object_format, text)
        self.know_tree(commit, tree)
        _remember(self.parents, commit, parent)
        return commit

    async def contains(self, commit: Commit, ancestor: Commit) -> bool:
        """Whether the commit is the ancestor or a descendant of it; does not run git for commits that were recorded
        here.
        """
        oldest = self._oldest(commit, ancestor)
        if oldest == ancestor:
            return True
        return (await self.git.run("merge-base", "--is-ancestor", ancestor, oldest, accept=(0, 1))).code == 0

    def builds_on(self, commit: Commit, ancestor: Commit) -> bool:
        """Whether all commits from the ancestor to the commit were recorded here, each with one parent."""
        return self._oldest(commit, ancestor) == ancestor

    def _oldest(self, commit: Commit, ancestor: Commit) -> Commit:
        """The first commit on the way to the ancestor that was not recorded here, or the ancestor itself."""
        while commit != ancestor and commit in self.parents:
            commit = self.parents[commit]
        return commit

    async def share(self, commit: Commit, known: Iterable[str]) -> None:
        """Copies the commit and its history to the user's repository, except what is reachable from `known`.

        Rejected: `fetch` from the hub. It does the same in four times the time.
        """
        await self._copy(commit, known)

    def is_gc_running(self) -> bool:
        """Whether a gc of the user runs in their repository, or was killed there."""
        return (self.common / "gc.pid").exists()

    @asynccontextmanager
    async def shared_pack(self, commit: Commit, known: Iterable[str]) -> AsyncIterator[None]:
        """As `share`, but no gc of the user removes the copies, if a ref leads to them before this is closed: it leaves
        packs alone that are kept, or newer than its start. The pack stays, so this is only for the time of a gc.
        """
        answer = await self._copy(commit, known, "--keep=shiftwork")
        kept = self.objects / "pack" / f"pack-{answer.text.rpartition('\t')[2]}.keep"
        try:
            yield
        finally:
            kept.unlink(missing_ok=True)

    async def _copy(self, commit: Commit, known: Iterable[str], *keep: str) -> Answer:
        """As single objects, which a gc of the user packs one day; as a pack if it is to be kept, or is so big that
        compressing it again would take long.
        """
        git = self.git.setting("core.bigFileThreshold", BIG_FILE).setting("pack.compression", "1")
        user = self.user.setting("core.bigFileThreshold", BIG_FILE)
        wanted = "".join(f"{line}\n" for line in (commit, *(f"^{name}" for name in known))).encode()
        with tempfile.TemporaryFile(dir=self.state) as pack:
            await git.run("pack-objects", "-q", "--revs", "--stdout", stdin=wanted, stdout=pack.fileno())
            whole = bool(keep) or pack.seek(0, os.SEEK_END) > _BIG_PACK
            pack.seek(0)
            command = ("index-pack", "--stdin", *keep) if whole else ("unpack-objects", "-q")
            return await user.run(*command, stdin=pack.fileno())

    async def borrow(self, place: Place, commit: Commit) -> None:
        """Keeps the commit in the user's repository while the place exists, so that the user's gc does not break our
        objects.
        """
        pin = _borrowed(place)
        if (await self.user.run("update-ref", pin, commit, accept=(0, 1, 128))).code:
            await outlast(self.common / f"{pin}.lock")
            heads = await self.user.run("for-each-ref", "--format=%(objectname)", "refs/heads", "refs/shiftwork")
            async with self.shared_pack(commit, set(heads.text.splitlines())):
                await self.user.run("update-ref", pin, commit)

    async def give_back(self, place: Place) -> None:
        await self.release(_borrowed(place))

    async def release(self, pin: str) -> None:
        """Removes a pin from the user's repository. It stays if the user's git holds the lock of all packed refs."""
        delete = ("update-ref", "-d", pin)
        if (await self.user.run(*delete, accept=(0, 1))).code:
            await outlast(self.common / f"{pin}.lock")
            await self.user.run(*delete, accept=(0, 1))

    def exclude(self, names: Iterable[str], installed: Iterable[str] = ()) -> None:
        """Makes the harness's git ignore these files of the user, and files that setup commands have `installed`, even
        if an agent changes ignore rules. All names from the past stay ignored: a tree of an earlier process may still
        contain such a file, and it must not be committed after the list of patterns has changed.
        """
        copied = _known(self.excludes_file.with_name(f"{self.excludes_file.name}.copied"), names)
        known = self.state / "git" / "installed"
        before = known.read_text(errors="surrogateescape").splitlines() if known.is_file() else []
        if more := [name for name in installed if name not in before]:
            before += more
            write_whole(known, os.fsencode("".join(f"{name}\n" for name in before)))
        write_whole(self.excludes_file, self.excludes + ignore_lines({*copied, *before}))


def ignore_lines(names: Iterable[str]) -> bytes:
    """Git ignore rules for exactly these paths."""
    patterns = (re.sub(r"([\\*?\[\] ])", r"\\\1", name) for name in sorted(names) if "\n" not in name)
    return b"".join(b"/" + os.fsencode(pattern) + b"\n" for pattern in patterns)


def _known(file: Path, names: Iterable[str]) -> set[str]:
    """Adds the names to those in a file and returns all. Appends, because another process may do the same."""
    before = set(os.fsdecode(file.read_bytes()).split("\0")) - {""} if file.is_file() else set[str]()
    if more := {*names} - before:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab", buffering=0) as end:
            end.write(b"".join(os.fsencode(name) + b"\0" for name in sorted(more)))
    return before | more


def _remember[T](known: dict[Commit, T], commit: Commit, what: T) -> None:
    """Adds it, and removes the oldest entry if there are too many."""
    known[commit] = what
    if len(known) > _COMMITS_KNOWN:
        del known[next(iter(known))]


def slug(text: str) -> str:
    """A name that is safe as a file, as a part of a ref and on a command line; different texts give different names."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", text)[:_NAME_CHARACTERS].lstrip("-")
    if plain == text and plain:
        return plain
    return f"{plain}-{hashlib.sha256(text.encode(errors='surrogateescape')).hexdigest()[:10]}".lstrip("-")


def folder_of(place: Place) -> str:
    return f"{slug(place.run)}/{slug(place.story)}-{place.number}"


def _borrowed(place: Place) -> str:
    return f"refs/shiftwork/pin/{folder_of(place)}"


def excludes_file_of(state: Path, root: Path) -> Path:
    """One for each checkout, because each copies other files into workspaces."""
    return state / "git" / f"excludes-{hashlib.sha256(os.fsencode(root)).hexdigest()[:10]}"
