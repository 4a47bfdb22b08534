"""Detects an interrupted move of the user's checkout: git was killed after it wrote files, but not the index."""

import os
from collections.abc import Sequence
from pathlib import Path

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.adapters.workspace.git.name_status import Row, batches, differing
from shiftwork.domain.core.ids import Commit


async def arrived(git: Git, old: Commit, new: Commit) -> Sequence[Row]:
    """The files that already have their new content, if all other files of the move are unchanged.

    Returns nothing if a single file is neither, because then the user has changed it. Only called when a move was
    refused.
    """
    changes = await differing(git, old, new)
    there = await _there(git, changes)
    touched = await _touched(git, old)
    for change in changes:
        gone = _is_gone(git.cwd / change.path)
        as_before = change.path not in touched and (gone or change.letter != "A")
        if not (as_before or change in there or (gone and change.letter == "D")):
            return ()
    return there


async def _there(git: Git, changes: Sequence[Row]) -> Sequence[Row]:
    """Those whose new content is in the tree, compared through the user's filters."""
    files = [change for change in changes if change.letter != "D" and _is_plain(git.cwd / change.path)]
    there: list[Row] = []
    for some in batches(files):
        ids = await git.run("hash-object", "--", *(change.path for change in some), accept=(0, 1, 128))
        there += [change for change, found in zip(some, ids.text.split(), strict=False) if found == change.new]
    return there


def _is_gone(path: Path) -> bool:
    return not os.path.lexists(path)


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


async def _touched(git: Git, old: Commit) -> set[str]:
    # Git would enter a repository that the index contains, and run programs that its settings name.
    unstaged = await git.run("diff-files", "--ignore-submodules=all", "--name-only", "-z")
    staged = await git.run("diff-index", "--ignore-submodules=all", "--cached", "--name-only", "-z", old)
    return {*unstaged.parts, *staged.parts}
