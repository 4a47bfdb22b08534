"""In which files two commits differ, as git tells it to programs."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.domain.core.ids import Commit

_NOWHERE: Final = "000000"
_BATCH_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A path, git's letter for what became of it, and the ids of its content on both sides; `mode` is that of the new
    one.
    """

    path: str
    letter: str
    mode: str
    old: str
    new: str

    @property
    def is_gone(self) -> bool:
        return self.mode == _NOWHERE


async def differing(git: Git, old: Commit, new: Commit) -> list[Row]:
    if old == new:
        return []
    parts = (await git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", old, new)).parts
    return [_row(told.split(" "), path) for told, path in zip(parts[::2], parts[1::2], strict=True)]


def _row(told: list[str], path: str) -> Row:
    _, mode, old, new, letter = told
    return Row(path=path, letter=letter, mode=mode, old=old, new=new)


def entries(rows: Iterable[Row]) -> bytes:
    """For `update-index`: the new side of each; a mode of zeros takes a path away."""
    return b"".join(os.fsencode(f"{row.mode} {row.new}\t{row.path}\0") for row in rows)


def batches(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """So many at a time as a program can be given the names of: a story may add thousands of long ones."""
    some: list[Row] = []
    room = _BATCH_BYTES
    for row in rows:
        size = len(os.fsencode(row.path)) + 1
        if some and size > room:
            yield some
            some, room = [], _BATCH_BYTES
        some.append(row)
        room -= size
    if some:
        yield some
