"""The ports Repository and Workspaces on values; a workspace is a folder, because agents write files."""

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Final
from urllib.parse import quote

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.core.landed_work import LandedWork
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.proof.commit_trailers import RUN, stories_named
from shiftwork.domain.run.overlap import story_environment
from shiftwork.domain.tampering.reserved_paths import is_reserved
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import (
    NO_BRANCHES,
    NOWHERE,
    Candidate,
    Conflict,
    Missed,
    Moved,
    Place,
    Reserved,
    Unchanged,
)
from shiftwork.records import dataclass
from shiftwork.testing.fake_repository.commits import (
    NO_FILES,
    CommitStore,
    list_differences,
    read_folder,
    write_folder,
)
from shiftwork.testing.fake_repository.merging import Merged, has_markers, merge_trees
from shiftwork.testing.fake_repository.patches import write_patch

_BRANCH: Final = re.compile(r"(?!-)(?!.*(?:\.\.|//|@\{|\.lock$|[./]$))[^\s~^:?*\[\\.][^\s~^:?*\[\\]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeRepository:
    """Branches move by compare and swap."""

    store: CommitStore

    async def tip(self, branch: str) -> Commit:
        return self.store.tip(branch)

    async def ensure_branch(self, branch: str, base: str) -> None:
        if not _BRANCH.fullmatch(branch):
            raise RepositoryError(f"a branch cannot be called {branch!r}", hint="git help check-ref-format")
        if branch not in self.store.branches:
            self.store.branches[branch] = self.store.tip(base)

    async def merged(self, base: Commit, tip: Commit, *, made_from: Commit = NOWHERE) -> tuple[Commit, tuple[str, ...]]:
        if tip == made_from or self.store.contains(base, tip):
            return base, ()
        if not self._has(base, made_from):
            tree, files = _merge_from(self.store, made_from, tip, base)
            return self.store.record(tree, (base,), f"Apply {tip[:12]} to {base[:12]}"), files
        if self.store.contains(tip, base):
            return tip, ()
        tree, files = _merge(self.store, tip, base)
        return self.store.record(tree, (tip, base), f"Merge {base[:12]} into {tip[:12]}"), files

    async def candidate(
        self, onto: Commit, tip: Commit, message: str, *, base: Commit = NOWHERE
    ) -> Candidate | Conflict | Unchanged | Reserved:
        present = self.store.tree(onto)
        tree, files = _merge(self.store, onto, tip)
        if not self._has(onto, base) or (tree == present and not self._has(tip, base)):
            tree, files = _merge_from(self.store, base, onto, tip)
        if files:
            return Conflict(base=onto, files=files)
        if tree == present:
            return Unchanged(base=onto)
        if reserved := tuple(row.path for row in list_differences(present, tree) if is_reserved(row.path)):
            return Reserved(base=onto, files=reserved)
        return Candidate(commit=self.store.record(tree, (onto,), message), base=onto)

    def _has(self, commit: Commit, base: Commit) -> bool:
        return base == NOWHERE or self.store.contains(commit, base)

    async def departed(self, candidate: Candidate, approved: Patch) -> tuple[str, ...]:
        tree, conflicts = apply_patch(self.store, approved, candidate.base)
        rows = list_differences(tree, self.store.tree(candidate.commit))
        return tuple(dict.fromkeys((*conflicts, *(row.path for row in rows))))

    async def reworded(self, base: Commit, chain: Sequence[tuple[Commit, str]]) -> tuple[Commit, ...]:
        commits: list[Commit] = []
        below, top = base, base
        for commit, message in chain:
            if commit != below:
                value = self.store.find(commit)
                below, top = commit, self.store.record(value.tree, (top,), message, value.at)
            commits.append(top)
        return tuple(commits)

    async def move(self, branch: str, candidate: Candidate) -> Moved | Missed:
        present = self.store.tip(branch)
        if present == candidate.base:
            self.store.branches[branch] = candidate.commit
        elif not self.store.contains(present, candidate.commit):
            return Missed()
        return Moved(ref=branch)

    async def find_missing(self, branch: str, works: Sequence[LandedWork]) -> frozenset[Commit]:
        history = self.store.list_history(self.store.tip(branch))
        named = {pair for commit in history for pair in stories_named(self.store.find(commit).message)}
        landed = {work.commit for work in works}
        newest = next((commit for commit in reversed(self.store.values) if commit in landed), NOWHERE)
        return frozenset(
            work.commit
            for work in works
            if work.commit not in history
            and (work.run, work.story) not in named
            and not any(
                _merge_from(self.store, work.base, at, end) == (self.store.tree(at), ())
                for at in history
                for end in {work.commit, newest} & self.store.values.keys()
                if self.store.contains(end, work.commit)
            )
        )

    async def read_subjects(self, commit: Commit, most: int) -> Sequence[str]:
        known = (self.store.find(one) for one in self.store.list_history(commit))
        own = (value.message for value in known if len(value.parents) < 2 and f"\n{RUN}: " not in value.message)
        return tuple(islice((message.partition("\n")[0] for message in own), most))

    async def unresolved(self, commit: Commit, files: Sequence[str]) -> Sequence[str]:
        tree = self.store.tree(commit)
        return [path for path in files if path in tree and has_markers(tree[path])]


def _merge(store: CommitStore, ours: Commit, theirs: Commit) -> Merged:
    return _merge_from(store, store.merge_base(ours, theirs), ours, theirs)


def _merge_from(store: CommitStore, base: Commit, ours: Commit, theirs: Commit) -> Merged:
    before = store.tree(base) if base else NO_FILES
    return merge_trees(before, store.tree(ours), store.tree(theirs), (ours, base[:7], theirs))


def apply_patch(store: CommitStore, patch: Patch, onto: Commit) -> Merged:
    """The patch applied to another base."""
    if patch.base == onto:
        return Merged(store.tree(patch.commit), ())
    if store.contains(onto, patch.base):
        return _merge(store, onto, patch.commit)
    return _merge_from(store, patch.base, onto, patch.commit)


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeWorkspaces:
    """`folder` has a folder for each run, and in it one for each place."""

    store: CommitStore
    folder: Path

    async def prepare(self, place: Place, commit: Commit, *, base: Commit = NOWHERE) -> Path:
        del base
        tree = self.store.tree(commit)
        await self.discard(place)
        try:
            write_folder(self._path(place), tree)
        except OSError as error:
            raise RepositoryError(f"the workspace cannot be made: {error}", hint="shiftwork doctor") from error
        return self._path(place)

    def variables(self, place: Place) -> Mapping[str, str]:
        return story_environment(place.run, place.story, place.slot)

    def branch(self, place: Place) -> str:
        return f"shiftwork/{place.story}"

    async def renew(self, place: Place, commit: Commit, branches: Mapping[str, Commit] = NO_BRANCHES) -> Path:
        """There is no repository in the tree: what an agent may do with its own is a matter of git."""
        for wanted in (commit, *branches.values()):
            self.store.find(wanted)
        return self._present(place)

    async def snapshot(self, place: Place, parent: Commit, message: str) -> Commit:
        tree = read_folder(self._present(place))
        return parent if tree == self.store.tree(parent) else self.store.record(tree, (parent,), message)

    async def restore(self, place: Place, commit: Commit, keep: Path, *, forward: bool = False) -> bool:
        folder = self._present(place)
        present, wanted = read_folder(folder), self.store.tree(commit)
        if present == wanted:
            return False
        _keep_patch(keep, write_patch(list_differences(*((present, wanted) if forward else (wanted, present)))))
        write_folder(folder, wanted)
        return True

    async def discard(self, place: Place) -> None:
        if self._path(place).exists():
            shutil.rmtree(self._path(place))

    async def remaining(self, run: RunId, stories: Iterable[StoryId]) -> Sequence[StoryId]:
        folder = self.folder / quote(run, safe="")
        names = {path.name.rpartition("-")[0] for path in folder.iterdir()} if folder.is_dir() else set[str]()
        return [story for story in stories if quote(story, safe="") in names]

    def _present(self, place: Place) -> Path:
        if not self._path(place).is_dir():
            raise RepositoryError(f"the workspace {self._path(place)} does not exist")
        return self._path(place)

    def _path(self, place: Place) -> Path:
        return self.folder / quote(place.run, safe="") / f"{quote(place.story, safe='')}-{place.number}"


def _keep_patch(keep: Path, patch: bytes) -> None:
    """Beside those that are there: `name-2.ext`, `name-3.ext`, …; the first is not stored twice."""
    keep.parent.mkdir(parents=True, exist_ok=True)
    numbered = (keep.with_name(f"{keep.stem}-{number}{keep.suffix}") for number in count(2))
    target = keep if not keep.exists() else next(path for path in numbered if not path.exists())
    if target == keep or keep.read_bytes() != patch:
        target.write_bytes(patch)
