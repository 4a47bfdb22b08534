"""The ports Changes, CommitInspector and Protecting on values."""

from collections.abc import Callable, Sequence
from typing import Final

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.core.patch import Patch as StoryPatch
from shiftwork.domain.gates.needed_gates import with_links
from shiftwork.domain.proof.test_definitions import defines, may_define
from shiftwork.domain.proof.verdict import FileFound, Findings, NameFound
from shiftwork.domain.tampering.file_size_limit import MEGABYTE
from shiftwork.domain.tampering.findings import Patch, Touched
from shiftwork.errors import RepositoryError
from shiftwork.ports.changes import Beginning, Difference
from shiftwork.ports.workspace import NOWHERE
from shiftwork.records import dataclass
from shiftwork.testing.fake_repository.commits import (
    LINK,
    PLAIN,
    CommitStore,
    File,
    Tree,
    list_differences,
    name_tree,
)
from shiftwork.testing.fake_repository.patches import count_lines, list_changed_lines, write_patch
from shiftwork.testing.fake_repository.repository import apply_patch

_HEADS: Final = "refs/heads/"


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeChanges:
    """See `ports.changes`."""

    store: CommitStore

    async def between(self, base: Commit, tip: Commit) -> Difference:
        return _compare(*self._trees(base, tip))

    async def beginning(self, base: Commit, tip: Commit, most: int) -> Beginning:
        patch = write_patch(list_differences(*self._trees(base, tip)))
        kept = patch if len(patch) <= most else patch[: patch.rfind(b"\n", 0, most) + 1] or patch[:most]
        return Beginning(patch=kept.decode(errors="replace"), cut=len(patch) > most)

    async def since(self, approved: StoryPatch, candidate: StoryPatch) -> Difference:
        for commit in (approved.base, approved.commit, candidate.base, candidate.commit):
            self._find(commit)
        return _compare(apply_patch(self.store, approved, candidate.base).tree, self.store.tree(candidate.commit))

    def _trees(self, base: Commit, tip: Commit) -> tuple[Tree, Tree]:
        self._find(tip)
        below = base or next(iter(self.store.find(tip).parents), NOWHERE)
        self._find(below)
        return self.store.tree(below), self.store.tree(tip)

    def _find(self, commit: Commit) -> None:
        if commit not in self.store.values:
            raise RepositoryError(
                f"the commit {commit} no longer exists", hint="what was cleaned up is kept in bundles"
            )


def _compare(old: Tree, new: Tree) -> Difference:
    rows = list_differences(old, new)
    return Difference(files=tuple(map(count_lines, rows)), patch=write_patch(rows).decode(errors="replace"))


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeCommitInspector:
    """See `ports.changes`."""

    store: CommitStore

    async def look(self, base: Commit, commit: Commit, paths: Sequence[str], names: Sequence[str]) -> Findings:
        before, after = self.store.tree(base), self.store.tree(commit)
        files = [_find_file(before, path, after[path]) for path in paths if path in after and after[path].is_text]
        return Findings(
            tree=name_tree(after),
            files=tuple(files),
            names=tuple(_find_name(before, after, name) for name in names),
        )

    async def affected(self, base: Commit, commit: Commit) -> Sequence[str]:
        sides = self.store.tree(base), self.store.tree(commit)
        rows = list_differences(*sides)
        changed = [
            f"{row.path}/" if any(file and file.mode == LINK for file in (row.old, row.new)) else row.path
            for row in rows
        ]
        links = [
            (path, file.content.decode(errors="replace"))
            for side in sides
            for path, file in side.items()
            if file.mode == LINK
        ]
        return with_links(changed, links)

    async def branch_with(self, commit: Commit, branch: str) -> str:
        wanted = [branch] if branch in self.store.branches else list(self.store.branches)
        found = [name for name in wanted if self.store.contains(self.store.branches[name], commit)]
        return f"{_HEADS}{found[0]}" if found else ""

    async def revert_of(self, commit: Commit, branch: str) -> Commit:
        for later in self.store.list_new(commit, self.store.tip(branch.removeprefix(_HEADS))):
            lines = self.store.find(later).message.splitlines()
            said = any(line.startswith(f"This reverts commit {commit}") for line in lines)
            if said and not await self.revert_of(later, branch):
                return later
        return NOWHERE

    async def parents_and_message(self, commit: Commit) -> tuple[tuple[Commit, ...], str]:
        value = self.store.find(commit)
        return value.parents, value.message


def _find_file(before: Tree, path: str, file: File) -> FileFound:
    lines = file.content.count(b"\n") + (bool(file.content) and not file.content.endswith(b"\n"))
    return FileFound(path=path, lines=lines, changed=list_changed_lines(before.get(path), file))


def _find_name(before: Tree, after: Tree, name: str) -> NameFound:
    files, known = [
        tuple(path for path, file in tree.items() if may_define(path) and file.is_text and _has_test(file, path, name))
        for tree in (after, before)
    ]
    return NameFound(name=name, files=files, before=tuple(path for path in files if path in known))


def _has_test(file: File, path: str, name: str) -> bool:
    return bool(name) and defines(name, path, file.content.decode(errors="replace"))


type MergeSettings = Callable[[str, bytes, bytes], bytes]
"""The content of a file with the runner settings of the base: its path, the base's content, and the story's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeProtecting:
    """`merge_settings` is what the real port uses too, because reading such files is the matter of an adapter."""

    store: CommitStore
    merge_settings: MergeSettings

    async def touched(self, base: Commit, tip: Commit) -> Sequence[Touched]:
        rows = list_differences(self.store.tree(base), self.store.tree(tip))
        return [
            Touched(
                path=row.path,
                letter=row.letter,
                link=row.new.content.decode(errors="replace") if row.new and row.new.mode == LINK else "",
                size=len(row.new.content) if row.new and len(row.new.content) >= MEGABYTE else 0,
            )
            for row in rows
        ]

    async def patch(self, base: Commit, tip: Commit, paths: Sequence[str]) -> Patch:
        rows = {row.path: row for row in list_differences(self.store.tree(base), self.store.tree(tip))}
        wanted = [rows[path] for path in paths if path in rows]
        return Patch(text=write_patch(wanted, 0, text=True).decode(errors="replace"))

    async def keep_left_out(
        self, run: RunId, story: StoryId, between: tuple[Commit, Commit], paths: Sequence[str]
    ) -> None:
        base, tip = map(self.store.tree, between)
        rows = [row for row in list_differences(base, tip) if row.path in paths]
        self.store.left_out[run, story] = write_patch(rows).decode(errors="surrogateescape")

    async def restored(self, base: Commit, commit: Commit, back: Sequence[str], out: Sequence[str]) -> Commit:
        below, tree = self.store.tree(base), self.store.tree(commit)
        chosen = {path for path in back if path in below} | set(out)
        return self._with(base, commit, {path: below.get(path) for path in chosen}, tree)

    async def keyed(self, base: Commit, commit: Commit, paths: Sequence[str]) -> Commit:
        below, tree = self.store.tree(base), self.store.tree(commit)
        return self._with(
            base, commit, {path: self._merge(path, below.get(path), tree.get(path)) for path in paths}, tree
        )

    def _merge(self, path: str, below: File | None, story: File | None) -> File | None:
        made = self.merge_settings(path, _content(below), _content(story))
        if below == story or made == _content(story):
            return story
        if made == _content(below):
            return below
        return File(below.mode if below else PLAIN, made)

    def _with(self, base: Commit, commit: Commit, files: dict[str, File | None], tree: Tree) -> Commit:
        """A commit on the base with these files in the place of its own; itself if they are the same."""
        if all(tree.get(path) == file for path, file in files.items()):
            return commit
        put_back = [path for path, file in files.items() if file is not None]
        own = {path: file for path, file in tree.items() if not any(_excludes(path, other) for other in put_back)}
        kept = {path: file for path, file in {**own, **files}.items() if file is not None}
        return self.store.record(kept, (base,), f"{commit[:12]} with files of its base")


def _excludes(path: str, other: str) -> bool:
    """Whether one is a file where the other has a folder."""
    return path.startswith(f"{other}/") or other.startswith(f"{path}/")


def _content(file: File | None) -> bytes:
    """Anything that is not a file counts as unreadable."""
    return b"\0" if file and file.mode == LINK else file.content if file else b""
