"""Locks that a killed git has left on the user's branches: they would make every later landing fail."""

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import psutil

from shiftwork.adapters.workspace.git.git import MARK
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.adapters.workspace.hub.user_trees import git_folder, holders
from shiftwork.adapters.workspace.tree.untrusted_files import modified
from shiftwork.git_folders import holding_branch
from shiftwork.ports.clock import Clock

STALE_SECONDS: Final = 5.0
_TOLERANCE: Final = 1.0
"""Seconds by which the start of a process may be reported too early: some kernels count from a whole second."""
_LOOKS: Final = 10
_PAUSE_SECONDS: Final = 0.2


async def clear_stale_locks(hub: Hub, branch: str, clock: Clock) -> Sequence[Path]:
    """Removes abandoned locks that a landing on the branch needs, and returns them.

    Only call this while holding the right to land on the branch. Removes a lock only if it is old enough, or older than
    this process, and no git runs in the repository, because the user's own git may hold it. Without a lock, which is
    nearly always, no git is run.
    """
    if not any(lock.exists() for lock in _suspects(hub, branch)):
        return ()
    before = max(clock.now() - STALE_SECONDS, psutil.Process().create_time() + _TOLERANCE)
    stale = [lock for lock in await _locks(hub, branch) if (made := modified(lock)) is not None and made < before]
    if not stale or await _busy(hub):
        return ()
    for lock in stale:
        lock.unlink(missing_ok=True)
    return stale


async def grow_old(hub: Hub, branch: str) -> None:
    """Waits until locks of our git that was just killed are old enough to differ from locks of the user's git."""
    if any(lock.exists() for lock in _suspects(hub, branch)):
        await asyncio.sleep(STALE_SECONDS)


def _suspects(hub: Hub, branch: str) -> list[Path]:
    """All candidates for `_locks`, and some other locks."""
    trees = (hub.common, *(hub.common / "worktrees").glob("*"))
    return [*_of_branches(hub, branch), *_of_trees(trees)]


async def _locks(hub: Hub, branch: str) -> list[Path]:
    names = (branch, holding_branch(branch))
    folders = [git_folder(tree) for name in names for tree in await holders(hub.user, name)]
    return [*_of_branches(hub, branch), *_of_trees(folder for folder in folders if folder is not None)]


def _of_branches(hub: Hub, branch: str) -> list[Path]:
    names = (branch, holding_branch(branch))
    return [*(hub.common / "refs" / "heads" / f"{name}.lock" for name in names), hub.common / "packed-refs.lock"]


def _of_trees(folders: Iterable[Path]) -> list[Path]:
    return [folder / name for folder in folders for name in ("HEAD.lock", "index.lock")]


async def _busy(hub: Hub) -> bool:
    """Whether git runs there for more than a moment: an editor's status query ends soon."""
    for _ in range(_LOOKS):
        if not any(_at_work(hub)):
            return False
        await asyncio.sleep(_PAUSE_SECONDS)
    return True


def _at_work(hub: Hub) -> Iterator[int]:
    """The git processes that run in the repository, or that an earlier process of ours has started.

    Our own do not count: only the process that may land takes these locks, and it is just about to.
    """
    for process in psutil.process_iter():
        try:
            if process.name() != "git" and not process.name().startswith("git-"):
                continue
            if process.ppid() == os.getpid():
                continue
            ours = process.environ().get(MARK) == str(hub.state)
            if ours or Path(process.cwd()).is_relative_to(hub.root.resolve()):
                yield process.pid
        except (psutil.Error, OSError):  # it ended, or the path of its working folder is too long to be read
            continue
