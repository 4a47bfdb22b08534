"""Recognizes what a git that was killed while it moved the user's checkout has left: files without their index."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shiftwork.adapters.workspace.git import Git
from shiftwork.domain.model.ids import Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a move does to one file: its new mode and the id of its new content; `kind` is git's letter for it."""

    name: str
    kind: str
    mode: str
    content: str


async def arrived(git: Git, old: Commit, new: Commit) -> Sequence[Change]:
    """The files that are as the move would make them, if all others of it are as they were before.

    Where a single one is neither, it is the user's, and none is given. Only asked when a move was refused.
    """
    changes = await _changes(git, old, new)
    there = await _there(git, changes)
    touched = await _touched(git, old, changes)
    for change in changes:
        gone = _is_gone(git.cwd / change.name)
        as_before = change.name not in touched and (gone or change.kind != "A")
        if not (as_before or change in there or (gone and change.kind == "D")):
            return ()
    return there


async def _there(git: Git, changes: Sequence[Change]) -> Sequence[Change]:
    """Those whose new content is in the tree: as if it were added, through the user's filters."""
    files = [change for change in changes if change.kind != "D" and _is_plain(git.cwd / change.name)]
    if not files:
        return ()
    ids = await git.run("hash-object", "--", *(change.name for change in files), accept=(0, 1, 128))
    return [change for change, found in zip(files, ids.text.split(), strict=False) if found == change.content]


def _is_gone(path: Path) -> bool:
    return not os.path.lexists(path)


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


async def _touched(git: Git, old: Commit, changes: Sequence[Change]) -> set[str]:
    names = [change.name for change in changes]
    literal = "--literal-pathspecs"
    unstaged = await git.run(literal, "diff-files", "--name-only", "-z", "--", *names)
    staged = await git.run(literal, "diff-index", "--cached", "--name-only", "-z", old, "--", *names)
    return {*unstaged.parts, *staged.parts}


async def _changes(git: Git, old: Commit, new: Commit) -> list[Change]:
    parts = (await git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", old, new)).parts
    rows = zip((row.split(" ") for row in parts[::2]), parts[1::2], strict=True)
    return [Change(name=name, kind=kind, mode=mode, content=content) for (_, mode, _, content, kind), name in rows]
