"""The protecting port on git: candidates with the tests of their base are made in an index, without a tree."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.hub import Hub
from shiftwork.domain.model.ids import Commit
from shiftwork.domain.model.tampering import Touched

PATHS: Final = 500
PATCH_BYTES: Final = 4 * 1024 * 1024
_PLAIN: Final = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "-U0")
_NOWHERE: Final = "000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class GitProtecting:
    """See `ports.protecting`. Names that are no UTF-8 are told with a mark in place of what cannot be read."""

    hub: Hub

    async def touched(self, base: Commit, tip: Commit) -> Sequence[Touched]:
        if base == tip:
            return ()
        parts = (await self.hub.git.run("diff-tree", "-r", "-z", "--name-status", "--no-renames", base, tip)).parts
        rows = zip(parts[::2], parts[1::2], strict=True)
        return tuple(Touched(path=_shown(path), letter=letter) for letter, path in rows)

    async def patch(self, base: Commit, tip: Commit, paths: Sequence[str]) -> str:
        if not paths:
            return ""
        wanted = (f":(literal,top){path}" for path in paths[:PATHS])
        told = await self.hub.git.run("-c", "core.quotePath=false", "diff", *_PLAIN, base, tip, "--", *wanted)
        return told.out[:PATCH_BYTES].decode(errors="replace")

    async def restored(self, base: Commit, commit: Commit, back: Sequence[str], out: Sequence[str]) -> Commit:
        parts = (await self.hub.git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", commit, base)).parts
        kept, gone = frozenset(back), frozenset(out)
        rows = [
            _entry(row, path)
            for row, path in zip(parts[::2], parts[1::2], strict=True)
            if _shown(path) in gone or (_shown(path) in kept and row.split(" ")[1] != _NOWHERE)
        ]
        if not rows:
            return commit
        tree = await self._tree(commit, b"".join(rows))
        # Not pinned: it is checked at once, and nothing that is so new is ever pruned.
        return self.hub.record(tree, base, f"{commit[:12]} with the tests and gate configuration of its base")

    async def _tree(self, commit: Commit, rows: bytes) -> str:
        with tempfile.TemporaryDirectory(dir=self.hub.state) as folder:
            git = self.hub.git.at(self.hub.path, GIT_INDEX_FILE=str(Path(folder) / "index"))
            await git.run("read-tree", commit)
            await git.run("update-index", "-z", "--replace", "--index-info", stdin=rows)
            return (await git.run("write-tree")).text


def _entry(row: str, path: str) -> bytes:
    """A row for `update-index`: what the base has at the path; a mode of zeros takes it away."""
    _, mode, _, name, _ = row.split(" ")
    return f"{mode} {name}\t".encode() + os.fsencode(path) + b"\0"


def _shown(path: str) -> str:
    return os.fsencode(path).decode(errors="replace")
