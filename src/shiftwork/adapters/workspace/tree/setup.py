"""What a new tree needs in addition to its commit: the user's untracked files, and its environment."""

import asyncio
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.sandbox.sandbox import Sandbox
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.adapters.workspace.tree.checkout import Checkout
from shiftwork.adapters.workspace.tree.environment import Environment, Means
from shiftwork.adapters.workspace.tree.environments import Environments
from shiftwork.adapters.workspace.tree.included_files import included
from shiftwork.adapters.workspace.tree.leased_numbers import Numbers
from shiftwork.adapters.workspace.tree.shell import CommandContext, Shell
from shiftwork.adapters.workspace.tree.untrusted_files import copy_within
from shiftwork.domain.core.ids import Commit
from shiftwork.errors import DependenciesError, EnvironmentDamagedError, EnvironmentFailedError
from shiftwork.ports.workspace import NOWHERE
from shiftwork.records import dataclass, field

_PYTHON_MANIFESTS: Final = ("pyproject.toml", "setup.py", "setup.cfg")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """`command` may be empty. Paths in `keep` stay in a gate tree from one check to the next. `interpreters` are
    program folders of the user's own environment: the setup command finds its interpreter there, and a tree with its
    own environment does not use them. `means` and `lesser` are only for the setup command: see `Environments`. `passed`
    are the user's variables that the settings allow for gates. Files of the user's checkout that match the patterns in
    `included` are copied into every tree, and so are the `extra` files. Ports and names are leased in `leases`; without
    that folder, only among the trees of the repository. The setup command runs in its own `sandbox`, if there is one,
    and `advice` says what the user can do if it fails there.
    """

    shell: Shell
    command: str = ""
    minutes: float = 15
    keep: frozenset[str] = frozenset()
    interpreters: tuple[str, ...] = ()
    means: Means = Means()
    lesser: Means = Means()
    passed: Mapping[str, str] = field(default_factory=dict)
    opened: dict[Path, Environments] = field(default_factory=dict)
    included: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    leases: Path | None = None
    leased: dict[str, Numbers] = field(default_factory=dict)
    sandbox: Sandbox | None = None
    advice: tuple[str, ...] = ()

    def numbers(self, hub: Hub, kind: str, most: int) -> Numbers:
        """The numbers from which the ports and names of trees of a kind derive."""
        if kind not in self.leased:
            self.leased[kind] = Numbers(folder=self.leases or hub.cache / "leases", kind=kind, most=most)
        return self.leased[kind]

    def close(self) -> None:
        """Releases all leases; call this when work here has ended."""
        for numbers in self.leased.values():
            numbers.release_all()

    def environments(self, hub: Hub) -> Environments:
        """The environments of a hub: one object for all trees, so that they share its results."""
        if hub.state not in self.opened:
            path = os.pathsep.join((*self.interpreters, self.shell.env.get("PATH", os.defpath)))
            shell = Shell(env={**self.shell.env, "PATH": path}, sandbox=self.sandbox or self.shell.sandbox)
            self.opened[hub.state] = Environments(
                hub=hub,
                shell=shell,
                command=self.command,
                minutes=self.minutes,
                means=self.means,
                lesser=self.lesser,
                advice=self.advice,
            )
        return self.opened[hub.state]

    async def environment(
        self, hub: Hub, commit: Commit, context: CommandContext, base: Commit = NOWHERE
    ) -> Environment | None:
        """The environment of a commit that is checked, or worked on, on top of `base`. None if there is no setup
        command, or if it already fails on the base (see `failure`): then the user's own environment is used.

        Raises DependenciesError if the commit needs another environment than its base, and that cannot be made.
        """
        if not self.command:
            return None
        names = await included(hub.user, self.included)
        environments = self.environments(hub)
        try:
            return await environments.obtain(commit, base, names, context)
        except EnvironmentFailedError as error:
            if await environments.shares(commit, base):
                return None
            raise DependenciesError(error.message) from error

    async def own_environment(self, hub: Hub, commit: Commit, context: CommandContext) -> Environment:
        """An environment made on exactly this commit, independent of its base. Raises DependenciesError."""
        names = await included(hub.user, self.included)
        try:
            return await self.environments(hub).obtain_own(commit, names, context)
        except EnvironmentFailedError as error:
            raise DependenciesError(error.message) from error

    async def surroundings(self, hub: Hub, commit: Commit) -> str:
        """A string for the known conditions of gates on this commit: it differs if gates may behave differently."""
        passed = hashlib.sha256(json.dumps(sorted(self.passed.items())).encode()).hexdigest() if self.passed else ""
        key = await self.environments(hub).key(commit) if self.command else ""
        return ":".join((key, "none" if await self.failure(hub, commit) else "", passed)).strip(":")

    async def failure(self, hub: Hub, commit: Commit) -> str:
        """Why no environment could be made on this commit; empty if it could, or if none was requested."""
        environments = self.environments(hub)
        return environments.failed.get(await environments.key(commit), "") if self.command else ""

    async def furnish(self, checkout: Checkout, environment: Environment | None) -> bool:
        """Copies the included files and the environment into the tree. False if there was nothing to copy.

        Raises EnvironmentDamagedError; the next request then makes the environment from scratch.
        """
        hub = checkout.hub
        names = (*await included(hub.user, self.included), *self.extra)
        if names or environment:
            hub.exclude(names, environment.excluded if environment and environment.shared else ())
        if environment and not environment.shared:
            checkout.exclude(environment.excluded)
        await asyncio.to_thread(_copy, names, hub.root, checkout.tree)
        if environment:
            try:
                await asyncio.to_thread(environment.files.copy_into, checkout.tree)
            except EnvironmentDamagedError:
                self.environments(hub).forget(environment.name)
                raise
        return bool(names or environment)

    def variables_for_gates(self, tree: Path, environment: Environment | None) -> dict[str, str]:
        """Variables for gates in the tree: the tree's own environment without the user's; if there is none, the tree's
        sources come first on Python's module path.
        """
        venv = environment.virtual_environment if environment else ""
        if not venv:
            roots = os.pathsep.join(_python_roots(str(tree)))
            return {"PYTHONPATH": roots} if roots else {}
        return _activated(f"{tree}/{venv}", [part for part in self._path() if part not in self.interpreters])

    def variables_for_agent(self, tree: Path) -> dict[str, str]:
        """The same for an agent, which may need programs of the user's own environment, or may have made another."""
        folders = _folders(str(tree)) if self.command else []
        found = [folder for folder in folders if os.path.isfile(f"{folder}/pyvenv.cfg")]  # noqa: PTH113 - see below
        return _activated(found[0], self._path()) if found else {}

    def _path(self) -> list[str]:
        return [part for part in self.shell.env.get("PATH", os.defpath).split(os.pathsep) if part]


def _activated(venv: str, path: Sequence[str]) -> dict[str, str]:
    return {"VIRTUAL_ENV": venv, "PATH": os.pathsep.join((f"{venv}/bin", *path))}


def _copy(names: Sequence[str], source: Path, target: Path) -> None:
    for name in names:
        copy_within(source, target, name)


# Plain strings, not Path objects: every check of a candidate waits for this.


def _python_roots(tree: str) -> Iterator[str]:
    """The folders with a project's Python modules: of the root and of members one level below it."""
    members = [tree, *(folder for folder in _folders(tree) if _is_project(folder))]
    for member in members:
        yield from (folder for folder in (f"{member}/src", member) if _has_modules(folder))


def _folders(folder: str) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))


def _is_project(folder: str) -> bool:
    return any(os.path.isfile(f"{folder}/{name}") for name in _PYTHON_MANIFESTS)  # noqa: PTH113 - see above


def _has_modules(folder: str) -> bool:
    """Whether the folder directly contains a Python module or package."""
    try:
        with os.scandir(folder) as entries:
            return any(
                entry.name.endswith(".py") or (entry.is_dir() and os.path.isfile(f"{entry.path}/__init__.py"))  # noqa: PTH113 - see above
                for entry in entries
            )
    except OSError:
        return False
