"""A tree in which gates run; it is reused, with the environment that was copied there.

Only the process that made a tree reuses it: every process makes its own tree at its first check, because another
program could have prepared the folder and marked it as ready. And a tree is only reused where the file system reports
which files were written since: on others, such as tmpfs, it is made from scratch for every check.
"""

import asyncio
import contextlib
import hashlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.gates.file_stamps import Stamp, reports_all_writes, stamps, written
from shiftwork.adapters.workspace.gates.pristine_tree import Pristine
from shiftwork.adapters.workspace.gates.read_files import expire_caches
from shiftwork.adapters.workspace.git.index_file import Statuses, Tracked, statuses
from shiftwork.adapters.workspace.tree.beside import ALL, beside
from shiftwork.adapters.workspace.tree.checkout import Checkout
from shiftwork.adapters.workspace.tree.environment import Environment
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import CommandContext
from shiftwork.domain.core.ids import Commit
from shiftwork.errors import DependenciesError, EnvironmentDamagedError, RepositoryError
from shiftwork.ports.workspace import NOWHERE
from shiftwork.records import dataclass, field

_BRANCH: Final = "shiftwork/verify"
_NOTHING: Final = Tracked(files=frozenset(), folders=frozenset())
_MOST: Final = 50
"""How many written files are listed at most."""


@dataclass(slots=True, kw_only=True)
class Bench:
    """`index` is the digest of the index as we left it, because git trusts it for unchanged files. `environment` is
    installed in the tree beside the commit; `seconds` is how long the last set-up took. `tracked` are the files of the
    commit, and `seen` is what was seen of them last, before anything ran. Times of files are `trusted` if every write
    changes them.
    """

    checkout: Checkout
    setup: Setup
    index: bytes = b""
    environment: Environment | None = None
    seconds: float = 0.0
    tracked: Tracked = _NOTHING
    seen: Statuses | None = None
    trusted: bool = False
    pristine: Pristine = field(init=False)

    def __post_init__(self) -> None:
        self.pristine = Pristine(tree=self.checkout.tree, keep=self.setup.keep)

    async def lay_out(
        self, commit: Commit, context: CommandContext, base: Commit = NOWHERE, *, borrowing: bool = False
    ) -> dict[str, str]:
        """Checks out the commit and its environment, and nothing else; returns variables for programs in the tree.

        Raises DependenciesError when the environment cannot be made and the base's must not be borrowed.
        """
        began = time.monotonic()
        environment = await self._environment(commit, context, base, borrowing=borrowing)
        if environment is not self.environment or not await self._used_again(commit):
            try:
                await self._make(commit, environment, context)
            except EnvironmentDamagedError:
                environment = await self._environment(commit, context, base, borrowing=borrowing)
                await self._make(commit, environment, context)
            self.seconds = time.monotonic() - began
        await self._open(commit)
        return self.setup.variables_for_gates(self.checkout.tree, self.environment)

    async def _environment(
        self, commit: Commit, context: CommandContext, base: Commit, *, borrowing: bool
    ) -> Environment | None:
        hub = self.checkout.hub
        try:
            return await self.setup.environment(hub, commit, context, base)
        except DependenciesError:
            if not borrowing:
                raise
            return await self.setup.environment(hub, base, context)

    async def tidy(
        self, commit: Commit, context: CommandContext, base: Commit = NOWHERE, *, borrowing: bool = False
    ) -> None:
        """Prepares the next gate of the same check: restores the commit, but keeps ignored files of the last gate.

        The next gate tests what this gate has built.
        """
        if not await self._returned(commit):
            await self.lay_out(commit, context, base, borrowing=borrowing)
        else:
            await self._open(commit)

    async def expire_caches(self) -> None:
        """See `read_files`."""
        self.seen = None
        await beside(len(self.tracked.files), lambda: expire_caches(self.checkout.tree, self.tracked))

    async def stamps(self) -> Mapping[str, Stamp]:
        """Stamps to find out later which files of the commit were written. For the first gate, from when the tree was
        compared with the commit.
        """
        seen, self.seen = self.seen, None
        return (await self._look(seen))[0]

    async def _look(self, seen: Statuses | None = None) -> tuple[Mapping[str, Stamp], Statuses]:
        tree, tracked, contents = str(self.checkout.tree), self.tracked, not self.trusted

        def look() -> tuple[Mapping[str, Stamp], Statuses]:
            files, folders = seen or statuses(tree, tracked.files), statuses(tree, tracked.folders)
            return stamps(tree, files, folders, contents=contents), files

        return await beside(ALL if contents else len(tracked.files), look)

    async def written(self, before: Mapping[str, Stamp]) -> tuple[str, ...]:
        """The files of the commit that were written since, and those that differ from the commit, because a file may
        have been written before the stamps were taken. At most `_MOST`.
        """
        after, seen = await self._look()
        found = written(before, after)
        with contextlib.suppress(RepositoryError, OSError):  # the tree is gone, and so are its files
            found.update(await self.checkout.altered(self.tracked.index, seen))
        return tuple(sorted(found)[:_MOST])

    async def _open(self, commit: Commit) -> None:
        await self.checkout.renew_repository(_BRANCH, commit)
        self.index = _digest(self.checkout.index)

    async def _make(self, commit: Commit, environment: Environment | None, context: CommandContext) -> None:
        self.index, self.environment = b"", None
        self.pristine.forget()
        await self.checkout.lay_out(commit)
        self.trusted = await asyncio.to_thread(reports_all_writes, self.checkout.hub.cache)
        tracked = await self.checkout.exact(commit)
        if environment and await self._hides(environment, tracked):
            # Setup may have created something where the base has a file: then this commit gets its own set-up.
            environment = await self.setup.own_environment(self.checkout.hub, commit, context)
        if await self.setup.furnish(self.checkout, environment):
            await self.checkout.clean()
            tracked = await self.checkout.exact(commit)
            await asyncio.to_thread(self.pristine.record, tracked)
        self.environment, self.tracked, self.seen = environment, tracked, tracked.seen
        self.pristine.files = environment.files if environment else None

    async def _hides(self, environment: Environment, tracked: Tracked) -> bool:
        bare = environment.tracked - tracked.files
        return bool(bare) and await self.checkout.ignores_any(bare)

    async def _used_again(self, commit: Commit) -> bool:
        """Brings the tree to the commit; false if anything is unusual and the tree must be made from scratch."""
        if not self.trusted:
            return False
        try:
            await self._enter()
            tracked = await self.checkout.exact(commit)
            self.tracked, self.seen = tracked, tracked.seen
            if self.environment and await self._hides(self.environment, tracked):
                return False
            return await asyncio.to_thread(self.pristine.restore, tracked)
        except (RepositoryError, OSError):
            return False

    async def _returned(self, commit: Commit) -> bool:
        self.seen = None
        try:
            await self._enter()
            if not self.trusted:
                self.checkout.forget_files()
            if await self.checkout.returned(commit):
                return True
            await self.checkout.clean()
            await self.checkout.repair_folders(commit)
            return not await self.checkout.outstanding()
        except (RepositoryError, OSError):
            return False

    async def _enter(self) -> None:
        if not self.index or _digest(self.checkout.index) != self.index:
            raise RepositoryError(f"the index of {self.checkout.name} was replaced")
        await self.checkout.enter()


def _digest(file: Path) -> bytes:
    return hashlib.sha256(file.read_bytes()).digest()
