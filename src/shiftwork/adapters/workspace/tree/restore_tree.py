"""Returns a tree to a commit, keeping first what is lost by it: nothing is destroyed before its diff has a name."""

import asyncio
import filecmp
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.tree.checkout import Change, Checkout
from shiftwork.adapters.workspace.tree.untrusted_files import erase, free_path
from shiftwork.domain.core.ids import Commit

_DIFF: Final = ("--cached", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv")
_FORWARD: Final = ("-R",)
_IGNORE_RULES: Final = ".gitignore"


async def undo(checkout: Checkout, commit: Commit, keep: Path, *, forward: bool = False) -> bool:
    """Return the tree to the commit; true where `keep`, or a file numbered after it, holds what differed. The diff of
    a tree that moves `forward` leads to the commit.
    """
    towards = _FORWARD if forward else ()
    changes = await checkout.stage(commit)
    if changes:
        await _keep(checkout, commit, keep, *towards)
    if any(Path(change.path).name == _IGNORE_RULES for change in changes):
        await _judge_again(checkout, commit, changes, keep, *towards)
    await checkout.reset(commit)
    await checkout.clean()
    await checkout.mend_folders(commit)
    return bool(changes)


async def _judge_again(
    checkout: Checkout, commit: Commit, changes: Iterable[Change], keep: Path, *towards: str
) -> None:
    """Where ignore rules were changed, let those of the commit decide which files are ignored and stay.

    By the agent's own rules a dependency folder may have come to light, which must not be removed; or a file may
    hide, which is not in the diff yet.
    """
    await checkout.git.run("read-tree", "--reset", commit)
    await checkout.reset(commit)
    for change in changes:
        if change.letter == "A" and Path(change.path).name == _IGNORE_RULES:
            await asyncio.to_thread(erase, checkout.tree / change.path)
    known = {change.path for change in changes}
    if any(change.path not in known for change in await checkout.stage(commit)):
        await _keep(checkout, commit, keep, *towards)


async def _keep(checkout: Checkout, commit: Commit, keep: Path, *towards: str) -> None:
    """Write what the index holds beyond the commit."""
    partial = _beside(keep)
    await checkout.git.run("diff-index", *_DIFF, *towards, f"--output={partial}", commit)
    _publish(partial, keep)


def _beside(keep: Path) -> Path:
    keep.parent.mkdir(parents=True, exist_ok=True)
    return keep.absolute().with_name(f"{keep.name}.{os.getpid()}.part")


def _publish(partial: Path, keep: Path) -> None:
    """Give the diff its name; what was kept before already, ahead of a crash, is not kept twice."""
    target = free_path(keep)
    if target != keep and filecmp.cmp(partial, keep, shallow=False):
        partial.unlink()
    else:
        partial.replace(target)
