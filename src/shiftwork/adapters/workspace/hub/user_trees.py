"""The user's own working trees: which of them has a branch checked out, and what prevents moving it."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.adapters.workspace.git.interrupted_checkout import is_gone
from shiftwork.adapters.workspace.git.user_git import in_worktree
from shiftwork.adapters.workspace.tree.untrusted_files import text_of
from shiftwork.domain.landing.obstacle import Obstacle

_UNFINISHED: Final = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer")
_STATUS_COLUMNS: Final = 3
"""The columns that `git status --porcelain` prints before a name."""


def holding_branch(branch: str) -> str:
    """Where work lands while moving the branch itself would disturb the user."""
    return f"shiftwork/landed/{branch}"


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
    if files := await edited(git, branch, ref):
        return Obstacle(files=tuple(files), tree=tree)
    options = ("-r", "-z", "--name-only", "--diff-filter=A", "--no-renames")
    added = (await git.run("diff-tree", *options, f"refs/heads/{branch}", f"refs/heads/{ref}")).parts
    taken = [trees[0] / name for name in added if not is_free(trees[0] / name)]
    return Obstacle(why=f"{taken[0]} exists, and git ignores it" if taken else "", tree=tree)


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


async def edited(git: Git, branch: str, ref: str) -> Sequence[str]:
    """The files with edits of the user, in the tree of `git`, that prevent merging the branch `ref`."""
    old, new = (f"refs/heads/{name}" for name in (branch, ref))
    changed, present = await asyncio.gather(
        git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new),
        git.run("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all"),
    )
    return sorted({part[_STATUS_COLUMNS:] for part in present.parts} & set(changed.parts))


def is_free(path: Path) -> bool:
    """Whether a file can be created there."""
    return is_gone(path) and _can_be_folder(path.parent)


def _can_be_folder(folder: Path) -> bool:
    while is_gone(folder):
        folder = folder.parent
    return folder.is_dir()
