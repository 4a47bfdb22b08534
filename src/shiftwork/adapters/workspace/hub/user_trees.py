"""The user's own working trees: which of them has a branch checked out, and how to move it forward safely."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git.git import Git, end
from shiftwork.adapters.workspace.git.interrupted_checkout import arrived
from shiftwork.adapters.workspace.git.name_status import Row, entries
from shiftwork.adapters.workspace.git.user_git import in_worktree
from shiftwork.adapters.workspace.tree.untrusted_files import text_of
from shiftwork.domain.core.ids import Commit
from shiftwork.errors import GitKilledError
from shiftwork.ports.workspace import Obstacle

_UNFINISHED: Final = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer")
_STATUS_COLUMNS: Final = 3
"""The columns that `git status --porcelain` prints before a name."""
_KILLED: Final = "git update-ref was killed"


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
    taken = [trees[0] / name for name in added if not _is_free(trees[0] / name)]
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


async def fast_forward(git: Git, branch: str, *, old: Commit, new: Commit) -> bool:
    """Moves the branch together with the tree that has it checked out (where `git` runs), or neither.

    The user's edits stay if they do not overlap. If they do, or an untracked or ignored file is in the way, or another
    git is running, nothing changes; but an interrupted move is completed. Rejected: `merge --ff-only`. It updates the
    files before it locks the branch, and leaves them changed if it does not get the lock.
    """
    async with _prepared(git, branch, old=old, new=new) as transaction:
        if transaction is None:
            return False
        refreshed = git.run("update-index", "-q", "--refresh", accept=(0, 1, 128))
        in_the_way, _ = await asyncio.gather(_in_the_way(git, old, new), refreshed)
        if in_the_way or not await _carried(git, old, new):
            cut_off = await arrived(git, old, new)
            if not cut_off or not await _taken_up(git, cut_off, old, new):
                return False
        try:
            if await _say(transaction, "commit"):
                return True
        except GitKilledError:
            if (await git.run("rev-parse", "--verify", f"refs/heads/{branch}")).text == new:
                return True  # it was killed before it could confirm
            await _roll_back(git, old, new)
            raise
        await _roll_back(git, old, new)
        return False


async def _roll_back(git: Git, old: Commit, new: Commit) -> None:
    await git.run("read-tree", "-m", "-u", new, old)


async def _carried(git: Git, old: Commit, new: Commit) -> bool:
    return not (await git.run("read-tree", "-m", "-u", old, new, accept=(0, 1, 128))).code


async def _taken_up(git: Git, cut_off: Sequence[Row], old: Commit, new: Commit) -> bool:
    """Adds the files that already exist to the index, and updates the others."""
    index_info = entries(cut_off)
    if (await git.run("update-index", "-z", "--add", "--index-info", stdin=index_info, accept=(0, 1, 128))).code:
        return False
    await git.run("update-index", "-q", "--refresh", accept=(0, 1, 128))
    if await _carried(git, old, new):
        return True
    names = b"".join(os.fsencode(change.path) + b"\0" for change in cut_off)
    named = ("--pathspec-from-file=-", "--pathspec-file-nul")
    await git.run("--literal-pathspecs", "reset", "-q", *named, old, stdin=names)
    return False


async def _in_the_way(git: Git, old: Commit, new: Commit) -> bool:
    """Whether git itself would overwrite something in the tree: an ignored file at a new path, or a deletion.

    A new path that is already in the index is left to git: that happens if we died between files and branch.
    """
    parts = (await git.run("diff-tree", "-r", "-z", "--name-status", "--no-renames", old, new)).parts
    rows = list(zip(parts[::2], parts[1::2], strict=True))
    if any(status in {"M", "T"} and _is_gone(git.cwd / name) for status, name in rows):
        return True
    taken = [name for status, name in rows if status == "A" and not _is_free(git.cwd / name)]
    if not taken:
        return False
    # Lists all files: thousands of names do not fit on a command line.
    return not set(taken) <= set((await git.run("ls-files", "-z")).parts)


def _is_gone(path: Path) -> bool:
    return not os.path.lexists(path)


def _is_free(path: Path) -> bool:
    return _is_gone(path) and _can_be_folder(path.parent)


def _can_be_folder(folder: Path) -> bool:
    while _is_gone(folder):
        folder = folder.parent
    return folder.is_dir()


@asynccontextmanager
async def _prepared(
    git: Git, branch: str, *, old: Commit, new: Commit
) -> AsyncIterator[asyncio.subprocess.Process | None]:
    """Holds the branch's lock, after checking that the branch is at `old`; None if that fails.

    If we die, git reads the end of its input, and releases the lock without moving anything. If git is killed, the lock
    stays behind: this raises GitKilledError at the end at the latest, even if no further command was sent.
    """
    pipe = asyncio.subprocess.PIPE
    message = f"shiftwork: landed {new[:12]}"
    process = await git.start("update-ref", "--create-reflog", "-m", message, "--stdin", stdin=pipe, stdout=pipe)
    try:
        ready = await _say(process, "start") and await _say(process, f"update refs/heads/{branch} {new} {old}\nprepare")
        yield process if ready else None
    finally:
        if process.stdin is not None:
            process.stdin.close()
        try:
            await process.communicate()
        finally:
            await end(process)
    if await process.wait() < 0:
        raise GitKilledError(_KILLED)


async def _say(process: asyncio.subprocess.Process, command: str) -> bool:
    if process.stdin is None or process.stdout is None:
        raise ValueError("both pipes were asked for")
    process.stdin.write(f"{command}\n".encode())
    answer = await process.stdout.readline()
    if not answer and await process.wait() < 0:
        raise GitKilledError(_KILLED)
    return answer.endswith(b": ok\n")
