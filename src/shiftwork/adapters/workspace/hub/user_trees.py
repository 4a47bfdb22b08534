"""The user's own working trees: which of them has a branch checked out, and what prevents moving it."""

import os
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path, PurePath
from typing import Final

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.adapters.workspace.git.interrupted_checkout import is_file
from shiftwork.adapters.workspace.git.name_status import Row, differing
from shiftwork.adapters.workspace.git.user_git import in_worktree
from shiftwork.adapters.workspace.tree.untrusted_files import text_of
from shiftwork.domain.landing.obstacle import Obstacle

_UNFINISHED: Final = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer")
_STATUS_COLUMNS: Final = 3
"""The columns that `git status --porcelain` prints before a name."""


async def holders(user: Git, branch: str) -> Sequence[Path]:
    """The working trees with the branch checked out, without trees that were deleted by hand."""
    listing = (await user.run("worktree", "list", "--porcelain", "-z")).out.decode(errors="surrogateescape")
    entries = (dict(line.partition(" ")[::2] for line in entry.split("\0")) for entry in listing.split("\0\0"))
    return [
        await _tree_of(user, Path(entry["worktree"]))
        for entry in entries
        if entry.get("branch") == f"refs/heads/{branch}" and "prunable" not in entry
    ]


async def _tree_of(user: Git, path: Path) -> Path:
    """For a repository outside its tree, such as a submodule, git lists the repository instead of the tree."""
    if (path / ".git").exists() or not (path / "HEAD").is_file():
        return path
    if _same(git_folder(user.cwd), path):
        return user.cwd
    configured = (await user.run(f"--git-dir={path}", "config", "core.worktree", accept=(0, 1))).text
    return _from(path, configured)


def _from(folder: Path, other: str) -> Path:
    return Path(os.path.normpath(folder / other))


def _same(folder: Path | None, other: Path) -> bool:
    return folder is not None and folder.samefile(other)


def claimed(common: Path, branch: str) -> bool:
    """Whether a rebase or bisection in progress will return to the branch."""
    names = {f"refs/heads/{branch}", branch}
    for folder in (common, *(common / "worktrees").glob("*")):
        for file in ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"):
            if text_of(folder / file) in names:
                return True
    return False


def unfinished(tree: Path) -> bool:
    """Whether a merge, a rebase or the like is unfinished in the tree."""
    folder = git_folder(tree)
    return folder is None or any((folder / name).exists() for name in _UNFINISHED)


def git_folder(tree: Path) -> Path | None:
    """The folder with git's data of the tree; None if the tree does not exist, as on a removed disk."""
    path = tree / ".git"
    if path.is_dir():
        return path
    pointer = text_of(path)
    return (tree / pointer.removeprefix("gitdir:").strip()).resolve() if pointer else None


async def in_the_way(user: Git, common: Path, branch: str, ref: str) -> Obstacle:
    """What prevents the branch from moving to `ref` now, except for temporary reasons such as a running git."""
    trees = await holders(user, branch)
    why = unmovable(common, branch, trees)
    if why or not trees:
        return Obstacle(why=why)
    git, tree = in_worktree(user, trees[0], common), str(trees[0].resolve())
    rows = await differing(git, f"refs/heads/{branch}", f"refs/heads/{ref}")
    blocked = list(blocking(trees[0], rows))
    if files := await _edited(git, {*blocked, *(row.path for row in rows)}):
        return Obstacle(files=tuple(files), tree=tree)
    return Obstacle(why=f"{trees[0] / blocked[0]} exists, and git ignores it" if blocked else "", tree=tree)


def unmovable(common: Path, branch: str, trees: Sequence[Path]) -> str:
    """Why the branch must not be moved at all; empty if it may."""
    if claimed(common, branch):
        return f"a rebase or bisection in progress will return to {branch}"
    if len(trees) > 1:
        return f"{branch} is checked out in {len(trees)} working trees: {', '.join(map(str, trees))}"
    if trees and git_folder(trees[0]) is None:
        return f"{branch} is checked out in {trees[0]}, which does not exist"
    if trees and unfinished(trees[0]):
        return f"a merge, a rebase or the like is unfinished in {trees[0]}"
    return ""


async def _edited(git: Git, paths: AbstractSet[str]) -> Sequence[str]:
    """Those of the paths that the user has changed or created, in the tree of `git`."""
    options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all")
    return sorted({part[_STATUS_COLUMNS:] for part in (await git.run("status", *options)).parts} & paths)


def blocking(tree: Path, rows: Sequence[Row]) -> Iterator[str]:
    """The files in the place of a new file, or of a folder above it, that are not removed by the move itself."""
    removed = {row.path for row in rows if row.letter == "D"}
    added = (row.path for row in rows if row.letter == "A")
    return (name for path in added for name in _in_place_of(tree, path) if name not in removed)


def _in_place_of(tree: Path, name: str) -> Iterator[str]:
    """The file of that name or all files below it, or the file where one of its folders would be."""
    above = [str(folder) for folder in reversed(PurePath(name).parents[:-1])]
    if found := next((path for path in (*above, name) if is_file(tree / path)), None):
        yield found
        return
    for inside, folders, files in os.walk(tree / name):
        below = (Path(inside, each) for each in (*files, *folders))
        yield from (str(path.relative_to(tree)) for path in below if is_file(path))
