"""A tree that others may write to, and the index, out of their reach, that the harness reads it with.

Git runs with the hub as its repository, so it never reads a `.git` in the tree: neither the agent's own at the root nor
a nested repository. Git would enter that if it were recorded as a submodule, which `stage` therefore prevents.
"""

import asyncio
import logging
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git.git import Answer, Git
from shiftwork.adapters.workspace.git.index_file import Index, Statuses, Tracked, folders_of, read_index, tracked
from shiftwork.adapters.workspace.hub.agent_repository import InitialContent, lay_repository
from shiftwork.adapters.workspace.hub.hub import Hub, ignore_lines, stream_large_files
from shiftwork.adapters.workspace.hub.tree_object import write_tree
from shiftwork.adapters.workspace.hub.unsupported_features import fixing_command, submodules
from shiftwork.adapters.workspace.tree.beside import beside
from shiftwork.adapters.workspace.tree.interruption import Interruption
from shiftwork.adapters.workspace.tree.untrusted_files import (
    check_unlinked,
    erase,
    loosen,
    move_away,
    open_up,
    outlast,
    write_whole,
)
from shiftwork.domain.core.ids import Commit
from shiftwork.errors import RepositoryError, UnfitRepositoryError
from shiftwork.ports.workspace import NO_BRANCHES
from shiftwork.records import dataclass, replace

_LOG: Final = logging.getLogger(__name__)
_SUBMODULE: Final = "160000"
_ADD: Final = ("add", "-A", "--ignore-errors")
_COMMITTED: Final = ("ls-files", "-z", "-t", "-c", "-m", "-d")
_LISTING: Final = (*_COMMITTED, "-o", "--directory", "--exclude-standard")
_TRACKED: Final = "H "


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A path that differs from a commit; `mode` is the new mode, zeros if the path was deleted."""

    path: str
    mode: str
    letter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """`name` is its path below `workspaces`, and also names its index and other files."""

    hub: Hub
    name: str

    @property
    def tree(self) -> Path:
        return self.hub.cache / "workspaces" / self.name

    @property
    def index(self) -> Path:
        return self.hub.state / "indexes" / f"{self.name}.index"

    @property
    def git(self) -> Git:
        git = replace(
            self.hub.git.at(self.tree, GIT_WORK_TREE=str(self.tree), GIT_INDEX_FILE=str(self.index)), tree=self.tree
        )
        return git.setting("core.excludesFile", str(self._excludes)) if self._excludes.exists() else git

    @property
    def _streaming(self) -> Git:
        return stream_large_files(self.git)

    def exclude(self, names: Iterable[str]) -> None:
        """Ignores these in this tree only, in addition to what all trees ignore."""
        self._excludes.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._excludes, self.hub.excludes_file.read_bytes() + ignore_lines(names))

    @property
    def _excludes(self) -> Path:
        return self.index.with_suffix(".excludes")

    async def lay_out(self, commit: Commit) -> None:
        """Makes the tree from scratch."""
        await self.remove()
        self.tree.mkdir(parents=True)
        self.index.parent.mkdir(parents=True, exist_ok=True)
        await self.reset(commit)

    async def remove(self) -> None:
        """If a process dies meanwhile, what is left counts as removed: deleted files are nobody's work."""
        check_unlinked(self.hub.cache, self.tree.parent)
        check_unlinked(self.hub.state, self.index.parent)
        self.interruption.removing()
        await asyncio.to_thread(erase, self.tree)
        for file in (self.index, self._lock, self._excludes):
            file.unlink(missing_ok=True)
        self.interruption.over()

    @property
    def is_removed(self) -> bool:
        return self.interruption.is_removal or not (self.tree.exists() and stat.S_ISDIR(self.tree.lstat().st_mode))

    @property
    def interruption(self) -> Interruption:
        return Interruption(index=self.index)

    async def enter(self) -> None:
        """Checks that the tree exists, and waits for any git of an earlier process."""
        if self.is_removed:
            raise RepositoryError(f"the workspace {self.name} is gone: {self.tree} is no longer a folder")
        if not self.index.exists():
            self.index.parent.mkdir(parents=True, exist_ok=True)
        await outlast(self._lock)

    async def reset(self, commit: Commit) -> None:
        """Restores every file of the commit or the index to the commit; other files stay. Raises UnfitRepositoryError
        if the commit has submodules, before changing the index.
        """
        await self._refuse_submodules(commit)
        answer = await self._streaming.run("read-tree", "--reset", "-u", commit, accept=(0, 1, 128))
        if answer.code:
            await asyncio.to_thread(loosen, self.tree)
            await self._streaming.run("read-tree", "--reset", "-u", commit)

    async def _refuse_submodules(self, commit: Commit) -> None:
        """`add` enters a submodule that is in the index, and runs programs that the settings there name: anyone who can
        write to the tree could put a repository there.
        """
        listed = (await self.hub.listed(commit)).items()
        if paths := [path for path, found in listed if found.mode == _SUBMODULE]:
            message = submodules(paths)
            raise UnfitRepositoryError(
                f"the commit {commit[:12]} cannot be worked on: {message}", hint=fixing_command(message)
            )

    def forget_files(self) -> None:
        """Makes git write every file from scratch at the next checkout, regardless of its current state."""
        self.index.unlink(missing_ok=True)

    async def clean(self) -> None:
        """Removes what is neither in the index nor ignored, nested repositories included."""
        answer = await self.git.run("clean", "-ffdq", accept=(0, 1))
        if answer.code:
            await asyncio.to_thread(loosen, self.tree)
            await self.git.run("clean", "-ffdq")

    async def capture(self, parent: Commit) -> str:
        """The current tree without ignored files, as an object of the hub."""
        added = await self._add()
        if added.code or added.err:
            # Something was unusual: among other things, git warns of a nested repository, which it has already added.
            await self._settle(parent, added)
        elif (index := self._read_index()) and (tree := write_tree(index, self.hub.path / "objects")):
            return tree
        return (await self.git.run("write-tree")).text

    async def stage(self, parent: Commit) -> tuple[Change, ...]:
        """Brings the tree without ignored files into the index; returns the differences from `parent`.

        What git cannot store is moved out of the tree: the `.git` of a nested repository (its files become ordinary
        files), and names that git refuses because another system would read them as `.git`.
        """
        return await self._settle(parent, await self._add())

    async def _settle(self, parent: Commit, added: Answer) -> tuple[Change, ...]:
        """Handles the result of `add`, which must not run again while the index contains a nested repository."""
        changes = await self.differing(parent)
        if added.code == 0 and all(change.mode != _SUBMODULE for change in changes):
            return changes
        await asyncio.to_thread(loosen, self.tree)
        await self.git.run("read-tree", "--reset", parent)
        while nested := [name for name in await self._untracked() if name.endswith("/")]:
            self._move_out(f"{name}.git" for name in nested)
        if (await self._add()).code:
            self._move_out(await self._untracked())
            final = await self._add()
            if final.code:
                raise RepositoryError(f"the workspace {self.name} cannot be committed: {final.err}")
        return await self.differing(parent)

    async def differing(self, commit: Commit) -> tuple[Change, ...]:
        """The differences between the index and the commit."""
        answer = await self.git.run("diff-index", "--cached", "--raw", "-z", "--no-renames", commit)
        rows = zip(answer.parts[::2], answer.parts[1::2], strict=True)
        return tuple(Change(path=path, mode=row.split(" ")[1], letter=row[-1]) for row, path in rows)

    async def returned(self, commit: Commit) -> bool:
        """Restores every file to the commit; returns whether nothing is left to clean or to repair.

        Also false if that needs a closer look, as for a folder with only ignored files.
        """
        answer = await self._reset_and_listed(commit, _LISTING)
        if answer.code:
            await self.reset(commit)
            return False
        rows = answer.parts
        names = [row[2:] for row in rows if row.startswith(_TRACKED)]
        return len(names) == len(rows) and not self._repair(folders_of(names))

    async def exact(self, commit: Commit) -> Tracked:
        """Restores every file of the commit, and nothing else: callers decide about other files.

        Raises RepositoryError if a file cannot be restored.
        """
        if (await self._streaming.run("read-tree", "--reset", "-u", commit, accept=(0, 1, 128))).code:
            await self.reset(commit)
        index = self._read_index()
        if index and (seen := await beside(len(index.entries), lambda: index.unaltered(str(self.tree)))) is not None:
            return tracked(index.files, index, seen)
        answer = await self._reset_and_listed(commit, _COMMITTED)
        rows = answer.parts
        names = [row[2:] for row in rows if row.startswith(_TRACKED)]
        if answer.code or len(names) != len(rows):
            raise RepositoryError(f"the files of {self.name} cannot be brought back to {commit}: {answer.err}")
        return tracked(names)

    async def _reset_and_listed(self, commit: Commit, listing: tuple[str, ...]) -> Answer:
        return await self._streaming.run_both(("read-tree", "--reset", "-u", commit), listing, accept=(0, 1, 128))

    async def outstanding(self) -> tuple[str, ...]:
        """Files that differ from the index or are not in it, without ignored files."""
        return (await self._streaming.run("ls-files", "-z", "-o", "-m", "-d", "--exclude-standard")).parts

    async def altered(self, index: Index | None, seen: Statuses) -> tuple[str, ...]:
        """Files of the index that were changed or deleted; git is only asked if `index` does not rule it out, by what
        was `seen` of the files.
        """
        if index and not await beside(len(seen), lambda: index.altered(str(self.tree), seen)):
            return ()
        return (await self._streaming.run("ls-files", "-z", "-m", "-d")).parts

    async def others(self, *, ignored: bool) -> tuple[str, ...]:
        """Paths that are not in the index, with or without ignored files; a folder with nothing else is listed with a
        `/`.
        """
        rules = () if ignored else ("--exclude-standard",)
        return (await self.git.run("ls-files", "-z", "-o", "--directory", *rules)).parts

    async def ignores_any(self, paths: Iterable[str]) -> bool:
        asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
        return (await self.git.run("check-ignore", "-z", "--stdin", stdin=asked, accept=(0, 1))).code == 0

    async def renew_repository(self, branch: str, commit: Commit, branches: Mapping[str, Commit] = NO_BRANCHES) -> None:
        if not self.index.exists():
            await self.git.run("read-tree", commit)
            await self._streaming.run("update-index", "-q", "--refresh", accept=(0, 1))

        def lay() -> None:
            own = self._excludes if self._excludes.exists() else self.hub.excludes_file
            laid = InitialContent(index=self.index, branch=branch, commit=commit, excludes=own, branches=branches)
            lay_repository(self.hub, self.tree, laid)

        await asyncio.to_thread(lay)

    async def repair_folders(self, commit: Commit) -> None:
        """Undoes what git does not see: read-only folders, and a nested `.git`, which other programs would enter."""
        self._repair((await self.git.run("ls-tree", "-r", "-d", "-z", "--name-only", commit)).parts)

    def _repair(self, folders: Iterable[str]) -> bool:
        # Plain strings, not Path objects: there may be thousands of folders, and every check of a candidate waits for
        # this.
        tree, inside = str(self.tree), []
        for folder in sorted(folders):
            open_up(f"{tree}/{folder}")
            if os.path.lexists(f"{tree}/{folder}/.git"):
                inside.append(f"{folder}/.git")
        self._move_out(inside)
        return bool(inside)

    def _move_out(self, names: Iterable[str]) -> None:
        """Moves files or folders out of the tree to where a person can find them."""
        for name in names:
            kept = move_away(self.tree / name, self.hub.state / "set-aside" / self.name, name)
            _LOG.warning("git cannot store %r of %s: moved to %s", name, self.name, kept)

    def _read_index(self) -> Index | None:
        return read_index(self.index, self.hub.object_format)

    @property
    def _lock(self) -> Path:
        return self.index.with_name(f"{self.index.name}.lock")

    async def _add(self) -> Answer:
        return await self.git.run(*_ADD, accept=(0, 1, 128))

    async def _untracked(self) -> tuple[str, ...]:
        """Untracked paths; the name of a whole repository ends with a slash."""
        return (await self.git.run("ls-files", "-z", "-o", "--exclude-standard")).parts
