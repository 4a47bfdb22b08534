"""What a fresh tree needs beyond its commit: files of the user's that are in none, and the setup command."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from shiftwork.adapters.workspace.checkout import Checkout
from shiftwork.adapters.workspace.files import copy_within
from shiftwork.adapters.workspace.includes import included
from shiftwork.adapters.workspace.shell import Errand, Shell
from shiftwork.domain.model.ids import Commit
from shiftwork.errors import RepositoryError


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """`command` may be empty. What lies at `keep` in a tree of the gates stays from one check to the next."""

    shell: Shell
    command: str = ""
    minutes: float = 15
    keep: frozenset[str] = frozenset()

    async def furnish(self, checkout: Checkout, commit: Commit, errand: Errand) -> bool:
        """Copy the included files, run the command; changes that it makes to files of the commit are undone.

        Left in, they would land with the story. Raises RepositoryError where the command fails. False where there was
        nothing to copy and nothing to run.
        """
        hub = checkout.hub
        names = await included(hub.user, hub.root, hub.state)
        if names:
            hub.exclude(names)
            await asyncio.to_thread(_copy, names, hub.root, checkout.tree)
        if self.command:
            # What it installs has to come from somewhere.
            online = replace(errand, online=True)
            outcome = await self.shell.run(self.command, online, tree=checkout.tree, seconds=60 * self.minutes)
            if not outcome.passed:
                raise RepositoryError(f"the setup command failed: {self.command}\n{outcome.output}")
            await checkout.reset(commit)
        return bool(names or self.command)


def _copy(names: tuple[str, ...], source: Path, target: Path) -> None:
    for name in names:
        copy_within(source, target, name)
