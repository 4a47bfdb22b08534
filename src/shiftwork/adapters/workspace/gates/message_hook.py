"""Asks the commit-msg hook of a commit, in a gate tree of that commit."""

import asyncio
import os
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.gates.canary import GitCanary
from shiftwork.adapters.workspace.gates.gate_tree import Bench
from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.tree.shell import CommandContext, Outcome
from shiftwork.adapters.workspace.tree.untrusted_files import erase, write_new
from shiftwork.bounded import read_bytes
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.landing.commit_hook import (
    MESSAGE_FILE,
    NOT_INSTALLED,
    CommitHook,
    HookAnswer,
    HookUse,
    files_to_read,
    find_hook,
)
from shiftwork.errors import DependenciesError
from shiftwork.records import dataclass, field, replace

_SECONDS: Final = 120.0
_LARGEST: Final = 64 * 1024
_KNOWN: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class GitCommitHooks:
    """`gates` have the trees and the sandbox; `confined` is whether there is one. `known` are the hooks of the latest
    trees, by the tree and git's `core.hooksPath`.
    """

    gates: GitGates
    use: HookUse = HookUse.AUTO
    confined: bool = False
    seconds: float = _SECONDS
    known: dict[tuple[str, str], CommitHook | None] = field(default_factory=dict)

    async def ask(self, base: Commit, message: str, marker: str) -> HookAnswer | None:
        hook = await self.find(base)
        return None if hook is None else await self._answer(hook, base, message, marker)

    async def find(self, base: Commit) -> CommitHook | None:
        """The hook that is in force on a commit. Without a sandbox it only is if the settings say so, because no
        command of a repository runs with the user's rights unless they have agreed to it.
        """
        if self.use is HookUse.OFF or (self.use is HookUse.AUTO and not self.confined):
            return None
        return await self.find_anywhere(base)

    async def find_anywhere(self, base: Commit) -> CommitHook | None:
        """The hook of a commit, whether it is in force or not."""
        hub = self.gates.hub
        tree, folder = await hub.tree_of(base), await self.hooks_folder()
        if (tree, folder) not in self.known:
            modes = {path: found.mode for path, found in (await hub.listed(base)).items()}
            wanted = files_to_read(modes)
            texts = await GitCanary(gates=self.gates).texts(base, wanted) if wanted else {}
            self.known[tree, folder] = find_hook(modes, texts, folder)
            if len(self.known) > _KNOWN:
                del self.known[next(iter(self.known))]
        return self.known[tree, folder]

    async def hooks_folder(self) -> str:
        """`core.hooksPath` of the repository itself, from the root of the checkout; empty if it is elsewhere. Hooks of
        the user's own, in their git directory or for all of their repositories, are no part of a commit.
        """
        hub = self.gates.hub
        said = (await hub.user.run("config", "--local", "--get", "core.hooksPath", accept=(0, 1))).text
        return _inside(said, hub.root) if said else ""

    async def _answer(self, hook: CommitHook, base: Commit, message: str, marker: str) -> HookAnswer:
        try:
            outcome, left = await self._run(hook, base, message, marker)
        except DependenciesError as error:
            return HookAnswer(hook=hook.name, accepted=False, output=f"it could not be run: {error.message}")
        if outcome.exit_code == NOT_INSTALLED:
            return HookAnswer(hook=hook.name, accepted=False, absent=True, output=outcome.output)
        accepted = outcome.passed and left is not None
        output = outcome.output if left is not None else f"{outcome.output}\nit left no message".strip()
        return HookAnswer(hook=hook.name, accepted=accepted, message=left or "", output=output)

    async def _run(self, hook: CommitHook, base: Commit, message: str, marker: str) -> tuple[Outcome, str | None]:
        """How the hook ended, and the message that it left; None if that cannot be read."""
        gates = self.gates
        with gates.free_tree() as (number, checkout), gates.apart(checkout, number) as env:
            bench = gates.benches.setdefault(number, Bench(checkout=checkout, setup=gates.setup))
            context = CommandContext(marker=marker, env=env)
            variables = await bench.lay_out(base, context)
            file = checkout.tree / MESSAGE_FILE
            await asyncio.to_thread(write_new, str(file), f"{message.strip()}\n".encode())
            asking = replace(context, env={**env, **variables})
            try:
                outcome = await gates.setup.shell.run(hook.command, asking, tree=checkout.tree, seconds=self.seconds)
                return outcome, await asyncio.to_thread(_read_message, file)
            finally:
                await asyncio.to_thread(erase, file)


def _inside(folder: str, root: Path) -> str:
    path = os.path.relpath(root / folder, root)
    return "" if path == "." or path.startswith("..") else path


def _read_message(file: Path) -> str | None:
    try:
        return read_bytes(file, _LARGEST, links=False).decode()
    except (OSError, UnicodeDecodeError):
        return None
