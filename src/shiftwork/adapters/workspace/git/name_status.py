"""The files in which two commits differ, from git's raw output."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.records import dataclass

_NOWHERE: Final = "000000"
_BATCH_BYTES: Final = 64 * 1024
_REVERSE: Final = {"A": "D", "D": "A"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A path, git's status letter, and the ids of its content on both sides; `was` and `mode` are the old and
    the new mode.
    """

    path: str
    letter: str
    was: str
    mode: str
    old: str
    new: str

    @property
    def is_gone(self) -> bool:
        return self.mode == _NOWHERE


async def differing(git: Git, old: str, new: str) -> list[Row]:
    """The differences of two commits or trees."""
    if old == new:
        return []
    parts = (await git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", old, new)).parts
    return [_row(fields.split(" "), path) for fields, path in zip(parts[::2], parts[1::2], strict=True)]


def _row(fields: list[str], path: str) -> Row:
    was, mode, old, new, letter = fields
    return Row(path=path, letter=letter, was=was.removeprefix(":"), mode=mode, old=old, new=new)


def reverse(row: Row) -> Row:
    """The same difference in the other direction."""
    return Row(
        path=row.path,
        letter=_REVERSE.get(row.letter, row.letter),
        was=row.mode,
        mode=row.was,
        old=row.new,
        new=row.old,
    )


def entries(rows: Iterable[Row]) -> bytes:
    """Input for `update-index`: the new side of each row; a mode of zeros removes a path."""
    return b"".join(os.fsencode(f"{row.mode} {row.new}\t{row.path}\0") for row in rows)


def batches(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Batches whose names fit on a command line: a story may add thousands of long names."""
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
