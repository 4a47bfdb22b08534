"""One of the trees in which gates run; it is used again, with what the setup command has installed there.

A tree is used again only by the process that made it: at its first check, every process makes its own anew. Before that
anybody may have prepared it, who could also have written whatever would mark it as ready.
"""

import asyncio
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.checkout import Checkout
from shiftwork.adapters.workspace.pristine import Pristine
from shiftwork.adapters.workspace.setup import Setup
from shiftwork.adapters.workspace.shell import Errand
from shiftwork.domain.model.ids import Commit
from shiftwork.errors import RepositoryError

_BRANCH: Final = "verify"


@dataclass(slots=True, kw_only=True)
class Bench:
    """`index` tells the index as we left it: git takes a file for unchanged where that says so."""

    checkout: Checkout
    setup: Setup
    index: bytes = b""
    pristine: Pristine = field(init=False)

    def __post_init__(self) -> None:
        checkout = self.checkout
        copies = checkout.index.with_suffix(".copies")
        self.pristine = Pristine(tree=checkout.tree, copies=copies, keep=self.setup.keep)

    async def lay_out(self, commit: Commit, errand: Errand) -> None:
        """The commit, what the setup command has made, and nothing else."""
        if not await self._used_again(commit):
            await self._make(commit, errand)
        await self._open(commit)

    async def tidy(self, commit: Commit, errand: Errand) -> None:
        """For the next gate of the same check: the commit again, with what is ignored by it as the last gate left it.

        What a gate has built is what the next one tests.
        """
        if not await self._returned(commit):
            await self.lay_out(commit, errand)
        else:
            await self._open(commit)

    async def _open(self, commit: Commit) -> None:
        await self.checkout.renew_repository(_BRANCH, commit)
        self.index = _digest(self.checkout.index)

    async def _make(self, commit: Commit, errand: Errand) -> None:
        self.index = b""
        self.pristine.forget()
        await self.checkout.lay_out(commit)
        if await self.setup.furnish(self.checkout, commit, errand):
            await self.checkout.clean()
            tracked = await self.checkout.exact(commit)
            await asyncio.to_thread(self.pristine.write_down, tracked)

    async def _used_again(self, commit: Commit) -> bool:
        """Bring the tree to the commit; where anything is odd about it, it is to be made anew."""
        try:
            await self._enter()
            tracked = await self.checkout.exact(commit)
            bare = self.pristine.covered - tracked.files
            if bare and await self.checkout.ignores_any(bare):
                return False  # the setup command may have made something there, and the commit of then went before it
            return await asyncio.to_thread(self.pristine.bring_back, tracked)
        except (RepositoryError, OSError):
            return False

    async def _returned(self, commit: Commit) -> bool:
        try:
            await self._enter()
            if await self.checkout.returned(commit):
                return True
            await self.checkout.clean()
            await self.checkout.mend_folders(commit)
            return not await self.checkout.outstanding()
        except (RepositoryError, OSError):
            return False

    async def _enter(self) -> None:
        if not self.index or _digest(self.checkout.index) != self.index:
            raise RepositoryError(f"the index of {self.checkout.name} is not the one that was left there")
        await self.checkout.enter()


def _digest(file: Path) -> bytes:
    return hashlib.sha256(file.read_bytes()).digest()
