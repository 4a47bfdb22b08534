"""Restores a tree to a commit, and first saves what that removes: nothing is destroyed before its diff is stored."""

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
    """Restores the tree to the commit; returns whether `keep`, or a file numbered after it, holds a difference. With
    `forward`, the diff leads to the commit instead of away from it.

    If a process dies after the diff was saved, the next call does not save the tree again: half of it is restored.
    """
    if not checkout.interruption.was_saved(commit):
        await _save(checkout, commit, keep, *(_FORWARD if forward else ()))
        checkout.interruption.restoring(commit)
    await checkout.reset(commit)
    await checkout.clean()
    await checkout.repair_folders(commit)
    checkout.interruption.over()
    return await asyncio.to_thread(keep.exists)


async def _save(checkout: Checkout, commit: Commit, keep: Path, *towards: str) -> None:
    changes = await checkout.stage(commit)
    if changes:
        await _keep(checkout, commit, keep, *towards)
    if any(Path(change.path).name == _IGNORE_RULES for change in changes):
        await _judge_again(checkout, commit, changes, keep, *towards)


async def _judge_again(
    checkout: Checkout, commit: Commit, changes: Iterable[Change], keep: Path, *towards: str
) -> None:
    """If ignore rules were changed, lets the commit's rules decide which files are ignored and stay.

    Under the agent's own rules a dependency folder may no longer be ignored, and must not be removed; or a file may be
    ignored that is not in the diff yet.
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
    """Writes the difference between index and commit."""
    partial = _beside(keep)
    await checkout.git.run("diff-index", *_DIFF, *towards, f"--output={partial}", commit)
    _publish(partial, keep)


def _beside(keep: Path) -> Path:
    keep.parent.mkdir(parents=True, exist_ok=True)
    return keep.absolute().with_name(f"{keep.name}.{os.getpid()}.part")


def _publish(partial: Path, keep: Path) -> None:
    """Gives the diff its name; does not store it twice if it was already stored before a crash."""
    target = free_path(keep)
    if target != keep and filecmp.cmp(partial, keep, shallow=False):
        partial.unlink()
    else:
        partial.replace(target)
