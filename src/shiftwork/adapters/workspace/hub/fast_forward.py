"""Moves a branch together with the working tree of the user that has it checked out, or neither."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from shiftwork.adapters.workspace.git.git import Git, end
from shiftwork.adapters.workspace.git.interrupted_checkout import Move, arrived, is_gone, restore_torn_file
from shiftwork.adapters.workspace.git.name_status import Row, entries
from shiftwork.adapters.workspace.hub.hub import stream_large_files
from shiftwork.adapters.workspace.hub.user_trees import blocking
from shiftwork.adapters.workspace.tree.untrusted_files import write_whole
from shiftwork.errors import GitKilledError

_KILLED: Final = "git update-ref was killed"


async def fast_forward(git: Git, branch: str, move: Move) -> bool:
    """Moves the branch and the tree where `git` runs; false if neither moved.

    The user's edits stay if they do not overlap. If they do, or an untracked or ignored file is in the way, or another
    git is running, nothing changes; but an interrupted move is completed. Rejected: `merge --ff-only`. It updates the
    files before it locks the branch, and leaves them changed if it does not get the lock.
    """
    async with _prepared(git, branch, move) as transaction:
        if transaction is None:
            return False
        await restore_torn_file(git, move.record)
        write_whole(move.record, f"{move.old} {move.new}".encode())
        moved = await _files_moved(git, move) and await _committed(git, branch, move, transaction)
        move.record.unlink(missing_ok=True)
        return moved


async def _files_moved(git: Git, move: Move) -> bool:
    if not await _in_the_way(git, move.rows) and await _carried(git, move):
        return True
    cut_off = await arrived(git, move)
    return bool(cut_off) and await _taken_up(git, cut_off, move)


async def _committed(git: Git, branch: str, move: Move, transaction: asyncio.subprocess.Process) -> bool:
    """Moves the branch; if it does not move, the files return."""
    try:
        if await _say(transaction, "commit"):
            return True
    except GitKilledError:
        if (await git.run("rev-parse", "--verify", f"refs/heads/{branch}")).text == move.new:
            return True  # it was killed before it could confirm
        await _roll_back(git, move)
        raise
    await _roll_back(git, move)
    return False


async def _roll_back(git: Git, move: Move) -> None:
    await git.run("read-tree", "-m", "-u", move.new, move.old)


async def _carried(git: Git, move: Move) -> bool:
    """Git refuses files whose index entry is only out of date, so that is brought up to date where it refuses."""
    if await _read_tree(git, move):
        return True
    await _refresh(git)
    return await _read_tree(git, move)


async def _read_tree(git: Git, move: Move) -> bool:
    return not (await stream_large_files(git).run("read-tree", "-m", "-u", move.old, move.new, accept=(0, 1, 128))).code


async def _refresh(git: Git) -> None:
    await stream_large_files(git).run("update-index", "-q", "--refresh", accept=(0, 1, 128))


async def _taken_up(git: Git, cut_off: Sequence[Row], move: Move) -> bool:
    """Adds the files that already exist to the index, and updates the others."""
    options = ("--add", "--replace", "-z", "--index-info")
    if (await git.run("update-index", *options, stdin=entries(cut_off), accept=(0, 1, 128))).code:
        return False
    await _refresh(git)
    if await _read_tree(git, move):
        return True
    names = b"".join(os.fsencode(row.path) + b"\0" for row in move.rows)
    named = ("--pathspec-from-file=-", "--pathspec-file-nul")
    await git.run("--literal-pathspecs", "reset", "-q", *named, move.old, stdin=names)
    return False


async def _in_the_way(git: Git, rows: Sequence[Row]) -> bool:
    """Whether git itself would overwrite something in the tree: an ignored file at a new path, or a deletion.

    A path that is already in the index is left to git: that happens if we died between files and branch.
    """
    if any(row.letter in {"M", "T"} and is_gone(git.cwd / row.path) for row in rows):
        return True
    found = set(blocking(git.cwd, rows))
    # Lists all files: thousands of names do not fit on a command line.
    return bool(found) and not found <= set((await git.run("ls-files", "-z")).parts)


@asynccontextmanager
async def _prepared(git: Git, branch: str, move: Move) -> AsyncIterator[asyncio.subprocess.Process | None]:
    """Holds the branch's lock, after checking that the branch is at `old`; None if that fails.

    If we die, git reads the end of its input, and releases the lock without moving anything. If git is killed, the lock
    stays behind: this raises GitKilledError at the end at the latest, even if no further command was sent.
    """
    pipe = asyncio.subprocess.PIPE
    message = f"shiftwork: landed {move.new[:12]}"
    process = await git.start("update-ref", "--create-reflog", "-m", message, "--stdin", stdin=pipe, stdout=pipe)
    try:
        update = f"update refs/heads/{branch} {move.new} {move.old}"
        ready = await _say(process, "start") and await _say(process, f"{update}\nprepare")
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
