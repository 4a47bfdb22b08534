"""Leftovers of runs in the state folder and the cache. Unlanded work is saved in a bundle before it is removed."""

import asyncio
import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.adapters.workspace.hub.hub import Hub, slug
from shiftwork.adapters.workspace.tree.checkout import Checkout
from shiftwork.adapters.workspace.tree.untrusted_files import erase, free_path, modified
from shiftwork.domain.core.ids import Commit
from shiftwork.errors import RepositoryError
from shiftwork.ports.clock import Clock
from shiftwork.ports.remains import GoneRepository, Leftover, Weight
from shiftwork.records import dataclass, replace

GRACE_SECONDS: Final = 3600.0
"""Newer objects stay, because a landing in progress may build upon them."""

_PRUNE_SECONDS: Final = 1800.0
_BLOCK: Final = 512
_UNUSED_SECONDS: Final = 30 * 86_400.0
_OTHERS: Final = ("verify-", "canary-", "environment-")
"""Trees that belong to no run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GitRemains:
    """See `ports.remains`. `attempt_folders` has a folder for each run, with its attempt folders by story and its
    notebook, which stays.
    """

    hub: Hub
    attempt_folders: Path
    clock: Clock

    async def runs(self) -> Sequence[str]:
        workspaces = {tree.parent.name for tree in self._trees()}
        refs = {run.name for run in _folders(self._refs) if run.name not in {"merged", "candidate", "held"}}
        return sorted({*workspaces, *refs, *(run.name for run in _folders(self.attempt_folders) if _folders(run))})

    async def weigh(self, run: str, *, whole: bool) -> Weight:
        weight = await asyncio.to_thread(_trees_weight, list(self._trees(slug(run))))
        if not whole:
            return weight
        attempt_folders = await asyncio.to_thread(_attempt_folders_weight, self.attempt_folders / slug(run))
        return weight + attempt_folders + Weight(refs=len(_files(self._refs / slug(run))))

    async def keep(self, leftover: Leftover) -> Path | None:
        name = f"{slug(leftover.run)}/{slug(leftover.story)}"
        for number, checkout in self._checkouts(leftover.run, leftover.story):
            await self._pin_tree(name, number, checkout, leftover.head)
        if leftover.head:
            self.hub.pin(f"{name}/reached", leftover.head)
        refs = [f"refs/shiftwork/{name}/{file.name}" for file in _files(self._refs / name)]
        theirs = (await self.hub.user.run("for-each-ref", "--format=%(objectname)", "refs/heads", "refs/remotes")).text
        known = tuple(theirs.split())
        landed = (leftover.head,) if leftover.landed and leftover.head else ()
        if not refs or not await self._beyond(refs, (*known, *landed)):
            return None
        unlanded = [ref for ref in refs if await self._beyond((ref,), known)]
        return await self._bundle(self.hub.state / "bundles" / f"{name}.bundle", unlanded, known)

    async def remove(self, run: str, stories: Sequence[str], *, whole: bool) -> None:
        for story in stories:
            for _, checkout in self._checkouts(run, story):
                await checkout.remove()
        for folder in (self.hub.cache / "workspaces", self.hub.state / "indexes"):
            _remove_empty(folder / slug(run))
        if whole:
            for gone in (*_folders(self.attempt_folders / slug(run)), self._refs / slug(run)):
                await asyncio.to_thread(erase, gone)
            _remove_empty(self.attempt_folders / slug(run))
            await self._give_back(run)

    async def cached(self) -> Weight:
        return Weight(bytes=await asyncio.to_thread(lambda: sum(map(measure_bytes, self._cached_trees()))))

    async def forget_cached(self) -> None:
        for record in (self.hub.state / "environments").glob("*.json"):
            record.unlink(missing_ok=True)
        for folder in self._cached_trees():
            await asyncio.to_thread(erase, folder)

    def _cached_trees(self) -> list[Path]:
        trees = [tree for tree in _folders(self.hub.cache / "workspaces") if tree.name.startswith(_OTHERS)]
        return [*trees, *_folders(self.hub.cache / "environments")]

    async def sweep(self, needed: Collection[Commit]) -> Weight:
        return self._unpin(needed) + await asyncio.to_thread(self._forget_environments) + await self._prune()

    def _forget_environments(self) -> Weight:
        """Environments that were not used for a month, and leftovers of killed setup commands."""
        now = self.clock.now()
        records = {file: modified(file) or now for file in (self.hub.state / "environments").glob("*.json")}
        for file in [file for file, used in records.items() if now - used > _UNUSED_SECONDS]:
            file.unlink(missing_ok=True)
            del records[file]
        kept = {_folder_of(file) for file in records}
        made = [*_folders(self.hub.cache / "environments"), *(self.hub.cache / "workspaces").glob("environment-*")]
        gone = [path for path in made if path.name not in kept and now - (modified(path) or now) > GRACE_SECONDS]
        freed = sum(map(measure_bytes, gone))
        for folder in gone:
            erase(folder)
        return Weight(bytes=freed)

    async def _give_back(self, run: str) -> None:
        """Removes the pins in the user's repository that kept commits for the run's workspaces."""
        pins = await self.hub.user.run("for-each-ref", "--format=%(refname)", f"refs/shiftwork/pin/{slug(run)}/")
        for pin in pins.text.split():
            await self.hub.release(pin)

    def _unpin(self, needed: Collection[Commit]) -> Weight:
        """Merges and candidates are not sorted by run: removes those that are old and that nothing builds upon."""
        old = self.clock.now() - GRACE_SECONDS
        gone = [
            pin
            for kind in ("merged", "candidate")
            for pin in _files(self._refs / kind)
            if pin.name not in needed and (made := modified(pin)) is not None and made < old
        ]
        for pin in gone:
            pin.unlink(missing_ok=True)
        return Weight(refs=len(gone))

    async def _prune(self) -> Weight:
        """Removes the objects that no ref of the hub reaches."""
        objects = self.hub.path / "objects"
        before = await asyncio.to_thread(measure_bytes, objects)
        git = replace(self.hub.git, seconds=_PRUNE_SECONDS)
        await git.run("prune", f"--expire={int(self.clock.now() - GRACE_SECONDS)}")
        return Weight(bytes=before - await asyncio.to_thread(measure_bytes, objects))

    async def _pin_tree(self, name: str, number: int, checkout: Checkout, head: Commit) -> None:
        """Commits the state of a workspace, so that it has a name in the bundle."""
        if checkout.is_removed:
            return
        if not head:
            raise RepositoryError(f"the workspace {checkout.tree} has no commit to compare its files with")
        await checkout.enter()
        tree, pin = await checkout.capture(head), f"{name}/left-{number}"
        present = await self.hub.git.run("rev-parse", f"refs/shiftwork/{pin}^{{tree}}", accept=(0, 128))
        if tree not in {await self.hub.tree_of(head), present.text}:
            self.hub.pin(pin, self.hub.record(tree, head, f"What was left in workspace {number} of {name}"))

    async def _beyond(self, refs: Sequence[str], known: Sequence[str]) -> bool:
        wanted = "".join(f"{line}\n" for line in (*refs, *(f"^{name}" for name in known))).encode()
        answer = await self.hub.git.run("rev-list", "--stdin", "-n", "1", stdin=wanted)
        return bool(answer.text)

    async def _bundle(self, wanted: Path, refs: Sequence[str], known: Sequence[str]) -> Path:
        """Bundles what the user's own branches do not have; unpacking needs these branches."""
        heads = sorted([f"{await _commit(self.hub.git, ref)} {ref}" for ref in refs])
        for kept in wanted.parent.glob(f"{wanted.stem}*.bundle"):
            listed = await self.hub.git.run("bundle", "list-heads", str(kept), accept=(0, 1, 128))
            if sorted(listed.text.splitlines()) == heads:
                return kept
        wanted.parent.mkdir(parents=True, exist_ok=True)
        partial = wanted.with_name(f"{wanted.name}.{os.getpid()}.part")
        lines = "".join(f"{line}\n" for line in (*refs, *(f"^{name}" for name in known))).encode()
        await self.hub.git.run("bundle", "create", "--quiet", str(partial), "--stdin", stdin=lines)
        await self.hub.git.run("bundle", "verify", "--quiet", str(partial))
        target = free_path(wanted)
        partial.replace(target)
        return target

    @property
    def _refs(self) -> Path:
        return self.hub.path / "refs" / "shiftwork"

    def _trees(self, run: str = "") -> Iterator[Path]:
        """Workspaces of stories; the trees of gates are beside the runs, and are reused."""
        for folder in _folders(self.hub.cache / "workspaces"):
            if run in {"", folder.name} and not folder.name.startswith(_OTHERS):
                yield from _folders(folder)

    def _checkouts(self, run: str, story: str) -> list[tuple[int, Checkout]]:
        named = ((tree, *tree.name.rpartition("-")[::2]) for tree in self._trees(slug(run)))
        return [
            (int(number), Checkout(hub=self.hub, name=f"{tree.parent.name}/{tree.name}"))
            for tree, name, number in named
            if name == slug(story) and number.isdecimal()
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderCaches:
    """See `ports.remains.GoneCaches`. `home` has a folder for each project; `gone` are the last known checkouts of the
    projects that are gone, by id. A project that is unknown here may be another user's.
    """

    home: Path
    gone: Mapping[str, str]
    clock: Clock

    async def find(self) -> Sequence[GoneRepository]:
        now = self.clock.now()
        gone = [folder for folder in _folders(self.home) if folder.name in self.gone]
        old = [folder for folder in gone if now - (modified(folder) or now) > GRACE_SECONDS]
        weights = [await asyncio.to_thread(measure_bytes, folder) for folder in old]
        return [
            GoneRepository(project=folder.name, checkout=self.gone[folder.name], bytes=weight)
            for folder, weight in zip(old, weights, strict=True)
        ]

    async def remove(self, gone: GoneRepository) -> None:
        await asyncio.to_thread(erase, self.home / gone.project)


def _folder_of(record: Path) -> str:
    try:
        return str(json.loads(record.read_bytes())["folder"])
    except (OSError, ValueError, LookupError):
        return ""


async def _commit(git: Git, ref: str) -> str:
    return (await git.run("rev-parse", "--verify", ref)).text


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if entry.is_dir() and not entry.is_symlink())
    except FileNotFoundError:
        return []


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.endswith(".part"))


def _trees_weight(trees: Sequence[Path]) -> Weight:
    return Weight(workspaces=len(trees), bytes=sum(map(measure_bytes, trees)))


def _attempt_folders_weight(folder: Path) -> Weight:
    stories = _folders(folder)
    return Weight(
        attempt_folders=sum(len(_folders(story)) for story in stories), bytes=sum(map(measure_bytes, stories))
    )


def measure_bytes(folder: Path) -> int:
    """The disk space that removal frees; content that an agent has made unreadable is left out."""
    sizes = (_sizes(path, files) for path, _, files in os.walk(folder))
    return sum(size for many in sizes for size in many)


def _sizes(folder: str, files: Iterable[str]) -> Iterator[int]:
    for file in files:
        try:
            yield os.lstat(f"{folder}/{file}").st_blocks * _BLOCK
        except OSError:  # it is gone, or deeper than the longest possible path
            continue


def _remove_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        shutil.rmtree(folder)
