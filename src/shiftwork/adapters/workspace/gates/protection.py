"""The protecting port on git: builds candidates with their base's tests in an index, without a tree."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from itertools import batched
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.gates.runner_settings import merged
from shiftwork.adapters.workspace.git.affected_paths import LINK, link_targets
from shiftwork.adapters.workspace.git.name_status import Row, entries
from shiftwork.adapters.workspace.hub import left_out_patches
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.tampering.file_size_limit import MEGABYTE
from shiftwork.domain.tampering.findings import Patch, Touched
from shiftwork.records import dataclass, replace

FILES: Final = 5000
BYTES: Final = 16 * 1024 * 1024
"""Limits by file size, which is known before git compares the files."""

_AT_ONCE: Final = 200
_PLAIN: Final = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--text", "-U0")
_WHOLE: Final = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--binary", "--full-index")
_PLAIN_FILE: Final = "100644"


@dataclass(frozen=True, slots=True, kw_only=True)
class GitProtecting:
    """See `ports.protecting`. Names that are not UTF-8 are shown with replacement characters."""

    hub: Hub

    async def touched(self, base: Commit, tip: Commit) -> Sequence[Touched]:
        rows = await self.hub.differing(base, tip)
        links = await link_targets(self.hub.git, sorted({row.new for row in rows if row.mode == LINK}))
        sizes = {name: size for name, size in (await self._sizes(rows)).items() if size >= MEGABYTE}
        return tuple(
            Touched(path=_shown(row.path), letter=row.letter, link=links.get(row.new, ""), size=sizes.get(row.new, 0))
            for row in rows
        )

    async def patch(self, base: Commit, tip: Commit, paths: Sequence[str]) -> Patch:
        if not paths:
            return Patch()
        places = {path: place for place, path in enumerate(paths)}
        rows = [row for row in await self.hub.differing(base, tip) if _shown(row.path) in places]
        wanted = sorted(rows, key=lambda row: places[_shown(row.path)])
        chosen, unread = _within(wanted, await self._sizes(wanted))
        texts = [await self._diff(base, tip, part) for part in batched(chosen, _AT_ONCE)]
        return Patch(text="".join(texts), unread=tuple(_shown(row.path) for row in unread))

    async def _sizes(self, rows: Sequence[Row]) -> Mapping[str, int]:
        """Sizes of the files by object name; missing objects, such as the commit of a submodule, have none."""
        if not rows:
            return {}
        asked = "".join(f"{name}\n" for row in rows for name in (row.old, row.new)).encode()
        answer = await self.hub.git.run("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked)
        found = (line.split(" ") for line in answer.text.splitlines())
        return {name: int(size) for name, size in found if size.isdecimal()}

    async def _diff(self, base: Commit, tip: Commit, rows: Sequence[Row]) -> str:
        wanted = (f":(literal,top){row.path}" for row in rows)
        answer = await self.hub.git.run("-c", "core.quotePath=false", "diff", *_PLAIN, base, tip, "--", *wanted)
        return answer.out.decode(errors="replace")

    async def keep_left_out(
        self, run: RunId, story: StoryId, between: tuple[Commit, Commit], paths: Sequence[str]
    ) -> None:
        wanted = frozenset(paths)
        rows = [row for row in await self.hub.differing(*between) if _shown(row.path) in wanted]
        parts = [
            (
                await self.hub.git.run("diff", *_WHOLE, *between, "--", *(f":(literal,top){row.path}" for row in part))
            ).out
            for part in batched(rows, _AT_ONCE)
        ]
        left_out_patches.keep(self.hub.state, run, story, b"".join(parts))

    async def restored(self, base: Commit, commit: Commit, back: Sequence[str], out: Sequence[str]) -> Commit:
        kept, gone = frozenset(back), frozenset(out)
        rows = [
            row
            for row in await self.hub.differing(commit, base)
            if _shown(row.path) in gone or (_shown(row.path) in kept and not row.is_gone)
        ]
        if not rows:
            return commit
        tree = await self._tree(commit, entries(rows))
        # Not pinned: it is checked at once, and git never prunes objects this new.
        return self.hub.record(tree, base, f"{commit[:12]} with the tests and gate configuration of its base")

    async def keyed(self, base: Commit, commit: Commit, paths: Sequence[str]) -> Commit:
        if not paths:
            return commit
        wanted = frozenset(paths)
        changed = [row for row in await self.hub.differing(commit, base) if _shown(row.path) in wanted]
        rows = [with_keys for row in changed if (with_keys := await self._with_keys(row))]
        if not rows:
            return commit
        tree = await self._tree(commit, entries(rows))
        return self.hub.record(tree, base, f"{commit[:12]} with the runner settings of its base")

    async def _with_keys(self, row: Row) -> Row | None:
        """The row with merged content for the path; None if the commit's own content is right."""
        story, base = [await self._content(name) for name in (row.old, row.new)]
        made = merged(row.path, base, story)
        if made == story:
            return None
        if made == base:
            return row
        blob = await self.hub.git.run("hash-object", "-w", "--no-filters", "--stdin", stdin=made)
        return replace(row, mode=_PLAIN_FILE if row.is_gone else row.mode, new=blob.text)

    async def _content(self, name: str) -> bytes:
        """Empty if the file does not exist; anything that is not a file, such as a submodule, counts as unreadable."""
        if not name.strip("0"):
            return b""
        found = await self.hub.git.run("cat-file", "blob", name, accept=(0, 128))
        return b"\0" if found.code else found.out

    async def _tree(self, commit: Commit, rows: bytes) -> str:
        with tempfile.TemporaryDirectory(dir=self.hub.state) as folder:
            git = self.hub.git.at(self.hub.path, GIT_INDEX_FILE=str(Path(folder) / "index"))
            await git.run("read-tree", commit)
            await git.run("update-index", "-z", "--replace", "--index-info", stdin=rows)
            return (await git.run("write-tree")).text


def _within(rows: Sequence[Row], sizes: Mapping[str, int]) -> tuple[list[Row], list[Row]]:
    """The rows within the limits, and the others; a row that is too large does not exclude later rows."""
    chosen: list[Row] = []
    unread: list[Row] = []
    room = BYTES
    for row in rows:
        size = sum(sizes.get(name, 0) for name in (row.old, row.new))
        fits = size <= room and len(chosen) < FILES
        (chosen if fits else unread).append(row)
        room -= size if fits else 0
    return chosen, unread


def _shown(path: str) -> str:
    return os.fsencode(path).decode(errors="replace")
