"""Locks that a killed git has left on the user's branches: every later landing would fail on them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import psutil

from shiftwork.adapters.workspace.git import MARK
from shiftwork.adapters.workspace.hub import Hub
from shiftwork.adapters.workspace.landing import holding_branch
from shiftwork.adapters.workspace.user_trees import git_folder, holders
from shiftwork.ports.clock import Clock

STALE_SECONDS: Final = 5.0


async def clear_stale_locks(hub: Hub, branch: str, clock: Clock) -> Sequence[Path]:
    """Remove the locks that a landing on the branch takes, where nobody holds them any more; those removed are given.

    To be called at start-up, when this process alone may land on the branch. A lock goes only if it has some age and
    no git is at work in the repository: the user's own may hold it.
    """
    stale = [
        lock
        for lock in await _locks(hub, branch)
        if lock.exists() and clock.now() - lock.stat().st_mtime > STALE_SECONDS
    ]
    if not stale or any(_at_work(hub)):
        return ()
    for lock in stale:
        lock.unlink(missing_ok=True)
    return stale


async def _locks(hub: Hub, branch: str) -> list[Path]:
    names = (branch, holding_branch(branch))
    folders = [git_folder(tree) for name in names for tree in await holders(hub.user, name)]
    return [
        *(hub.common / "refs" / "heads" / f"{name}.lock" for name in names),
        *(folder / "HEAD.lock" for folder in folders if folder is not None),
        hub.common / "packed-refs.lock",
    ]


def _at_work(hub: Hub) -> Iterator[int]:
    """The git processes that run in the repository, or were started by this program or one before it."""
    for process in psutil.process_iter():
        try:
            if process.name() != "git" and not process.name().startswith("git-"):
                continue
            ours = process.environ().get(MARK) == str(hub.state)
            if ours or Path(process.cwd()).is_relative_to(hub.root.resolve()):
                yield process.pid
        except psutil.Error:
            continue
