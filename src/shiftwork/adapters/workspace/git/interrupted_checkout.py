"""Detects and repairs an interrupted move of the user's checkout: git was killed after it wrote files, but no index.

The record of a move is a file that exists while git moves the checkout. Only if it was left behind, a file that git was
writing can be distinguished from a file that the user has shortened.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.adapters.workspace.git.name_status import Row, batches, differing
from shiftwork.adapters.workspace.tree.untrusted_files import modified, text_of
from shiftwork.domain.core.ids import Commit
from shiftwork.errors import RepositoryError
from shiftwork.records import dataclass

_LONGEST_SECONDS: Final = 600.0
"""A file that was written later after the start of the move was not written by its git."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """From one commit to another, which differ in these rows. `record` is the file that exists meanwhile."""

    old: Commit
    new: Commit
    rows: Sequence[Row]
    record: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tree:
    """The state of the files of a move: `there` have their new content, `touched` and `staged` differ from the old."""

    there: Sequence[Row]
    touched: frozenset[str]
    staged: frozenset[str]

    def has_not_changed(self, root: Path, row: Row) -> bool:
        unchanged = row.path not in self.touched and row.path not in self.staged
        return unchanged and not (row.letter == "A" and is_file(root / row.path))


async def arrived(git: Git, move: Move) -> Sequence[Row]:
    """The files that already have their new content, if all other files of the move are unchanged.

    Returns nothing if a single file is neither, because then the user has changed it. Only called when a move was
    refused.
    """
    tree = await _tree(git, move.old, move.rows)
    for row in move.rows:
        removed = row.letter == "D" and not is_file(git.cwd / row.path)
        if not (tree.has_not_changed(git.cwd, row) or row in tree.there or removed):
            return ()
    return tree.there


async def restore_torn_file(git: Git, record: Path) -> None:
    """Gives the file that git was writing when it was killed its old content, if the record of a move was left behind.

    Git removes files first and then writes the others in the order of their paths. So the torn file follows all files
    that are complete, no later file has changed, and its content is the beginning of the new one. A file that only
    looks so, because the user emptied exactly this one within minutes after the kill, is restored too.
    """
    began = modified(record)
    if began is None:
        return
    old, _, new = text_of(record).partition(" ")
    try:
        rows = await differing(git, old, new)
        await git.run("update-index", "-q", "--refresh", accept=(0, 1, 128))
        torn = _torn(git.cwd, await _tree(git, Commit(old), rows), rows)
        if torn is not None and await _is_cut_off(git, torn, new, began):
            await _restore(git, torn)
    except RepositoryError:  # the commits are gone: nothing can be compared, and nothing is changed
        return


def _torn(root: Path, tree: _Tree, rows: Sequence[Row]) -> Row | None:
    removed = [row for row in rows if row.letter == "D"]
    written = sorted((row for row in rows if row.letter != "D"), key=lambda row: os.fsencode(row.path))
    missing = [row for row in written if row not in tree.there]
    if not missing or any(is_file(root / row.path) for row in removed):
        return None
    torn, *later = missing
    complete = written[: written.index(torn)]
    in_order = all(row in tree.there for row in complete)
    unchanged = all(tree.has_not_changed(root, row) for row in later)
    return torn if in_order and unchanged and not any(row.path in tree.staged for row in rows) else None


async def _is_cut_off(git: Git, row: Row, new: str, began: float) -> bool:
    """Whether the file was written during the move, and its content is the beginning of the new content."""
    path = git.cwd / row.path
    if not _is_plain(path) or not began <= path.stat().st_mtime <= began + _LONGEST_SECONDS:
        return False
    whole = (await git.run("cat-file", "--filters", f"{new}:{row.path}")).out
    return path.stat().st_size < len(whole) and whole.startswith(path.read_bytes())


async def _restore(git: Git, row: Row) -> None:
    path = git.cwd / row.path
    if row.letter == "A":
        path.unlink()
        with suppress(OSError):  # others are in the folder
            os.removedirs(path.parent)
    else:
        await git.run("checkout-index", "-u", "-q", "-f", "-z", "--stdin", stdin=os.fsencode(row.path) + b"\0")


async def _tree(git: Git, old: Commit, rows: Sequence[Row]) -> _Tree:
    # Git would enter a repository that the index contains, and run programs that its settings name.
    unstaged = await git.run("diff-files", "--ignore-submodules=all", "--name-only", "-z")
    staged = await git.run("diff-index", "--ignore-submodules=all", "--cached", "--name-only", "-z", old)
    return _Tree(there=await _there(git, rows), touched=frozenset(unstaged.parts), staged=frozenset(staged.parts))


async def _there(git: Git, rows: Sequence[Row]) -> Sequence[Row]:
    """Those whose new content is in the tree, compared through the user's filters."""
    files = [row for row in rows if row.letter != "D" and _is_plain(git.cwd / row.path)]
    there: list[Row] = []
    for some in batches(files):
        ids = await git.run("hash-object", "--", *(row.path for row in some), accept=(0, 1, 128))
        there += [row for row, found in zip(some, ids.text.split(), strict=False) if found == row.new]
    return there


def is_gone(path: Path) -> bool:
    return not os.path.lexists(path)


def is_file(path: Path) -> bool:
    """Whether the path is a file or a link; git knows no folders."""
    return path.is_symlink() or not (is_gone(path) or path.is_dir())


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
