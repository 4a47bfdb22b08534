"""Environments of trees: what the setup command installs, once for each key, copied into every tree with that key.

The key covers everything that determines the installation (`domain.gates.environment_key`). A shared environment was
made on the commit that work starts from. A commit with another key, such as a story that changes a lock file, gets its
own: the story's code ran while it was made, so no other work is checked in it.

Records about an environment are in the state folder, where a confined agent cannot write; its files are in the cache,
each identified by its content. An agent without a sandbox has the user's rights and could change both.
"""

import asyncio
import contextlib
import json
import os
import platform
import secrets
import shutil
import sys
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any, Final

from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.adapters.workspace.tree.checkout import Checkout
from shiftwork.adapters.workspace.tree.environment import Environment, Means, index_variables
from shiftwork.adapters.workspace.tree.environment_files import EnvironmentFiles, Item, take_out
from shiftwork.adapters.workspace.tree.leased_numbers import alone
from shiftwork.adapters.workspace.tree.shell import CommandContext, Shell
from shiftwork.adapters.workspace.tree.untrusted_files import copy_within, erase, write_whole
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.environment_key import decides_environment, environment_key
from shiftwork.domain.gates.machine_needs import looks_refused
from shiftwork.errors import EnvironmentFailedError
from shiftwork.records import dataclass, field, replace

_FORMAT: Final = 1
_BRANCH: Final = "shiftwork/setup"
_CACHE: Final = "__pycache__"
_SHOWN: Final = 200

_TOOLS: Final = (
    *("python3", "python", "uv", "poetry", "pdm", "pipenv", "tox", "nox", "pre-commit", "node", "npm", "pnpm", "yarn"),
    *("bun", "cargo", "go", "java", "mvn", "gradle", "ruby", "bundle", "mix", "composer"),
)
_INDEX_FILES: Final = (
    *(".pip/pip.conf", ".config/pip/pip.conf", ".config/uv/uv.toml", ".npmrc", ".yarnrc.yml", ".pyenv/version"),
    *(".config/pypoetry/config.toml", ".cargo/config.toml", ".bundle/config"),
)

_COPIED: Final = {"UV_LINK_MODE": "copy", "npm_config_package_import_method": "copy", "VIRTUALENV_ALWAYS_COPY": "1"}
"""Makes package managers copy installed files instead of linking them to their store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environments:
    """`command` is the setup command. It gets `means` on shared commits, and `lesser` on all others: there a story's
    code decides what runs, and gets no credentials. `advice` says what the user can do if it fails. `known` and
    `failed` are this process's results by name, and `made` are the environments that it has installed itself.
    """

    hub: Hub
    shell: Shell
    command: str
    minutes: float = 15
    means: Means = Means()
    lesser: Means = Means()
    advice: tuple[str, ...] = ()
    known: dict[str, Environment] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)
    keys: dict[str, str] = field(default_factory=dict)
    locks: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def key(self, commit: Commit) -> str:
        """The key of a commit; recent keys are cached by tree."""
        tree = await self.hub.tree_of(commit)
        if tree not in self.keys:
            listed = (await self.hub.listed(commit)).items()
            files = [(path, found.name) for path, found in listed if decides_environment(path, self.command)]
            self.keys[tree] = environment_key(self.command, files, self._surroundings())
            if len(self.keys) > _KEYS:
                del self.keys[next(iter(self.keys))]
        return self.keys[tree]

    async def obtain(self, commit: Commit, base: Commit, names: Iterable[str], context: CommandContext) -> Environment:
        """The environment for a commit: the shared environment of `base` if both have the same key, else its own.
        `names` are files of the user that the setup command finds beside the commit.

        Raises EnvironmentFailedError if the setup command fails; for a shared environment this process does not run it
        again.
        """
        if not await self.shares(commit, base):
            return await self.obtain_own(commit, names, context)
        name, start = await self.key(commit), base or commit
        async with self._alone(name):
            # A commit with its own key may have landed since: then its environment becomes the shared one.
            found = await self._found(name) or await self._found(await self._own_name(start))
            made = found or await self._made(name, start, tuple(names), context, shared=True)
            self.known[name] = made if made.shared else replace(made, shared=True)  # trees compare it by identity
            return self.known[name]

    async def obtain_own(self, commit: Commit, names: Iterable[str], context: CommandContext) -> Environment:
        """An environment in which no other commit is checked."""
        name = await self._own_name(commit)
        async with self._alone(name):
            found = await self._found(name)
            made = found or await self._made(name, commit, tuple(names), context, shared=False)
            self.known[name] = made if not made.shared else replace(made, shared=False)
            return self.known[name]

    async def _own_name(self, commit: Commit) -> str:
        return f"{await self.key(commit)}-{(await self.hub.tree_of(commit))[:16]}"

    async def _found(self, name: str) -> Environment | None:
        if name in self.failed:
            raise EnvironmentFailedError(self.failed[name])
        return self.known.get(name) or await asyncio.to_thread(self._recalled, name)

    async def shares(self, commit: Commit, base: Commit) -> bool:
        """Whether the commit is checked in the environment of its base; a commit without a base is a base itself."""
        return not base or commit == base or await self.key(commit) == await self.key(base)

    def forget(self, name: str) -> None:
        """Drops a damaged environment: the next request makes it from scratch."""
        self.known.pop(name, None)
        self._record(name).unlink(missing_ok=True)

    # Making one -------------------------------------------------------------------------------------------------------

    async def _made(
        self, name: str, commit: Commit, names: tuple[str, ...], context: CommandContext, *, shared: bool
    ) -> Environment:
        own = f"environment-{name}-{secrets.token_hex(4)}"
        checkout = Checkout(hub=self.hub, name=own)
        began = time.monotonic()
        try:
            await checkout.lay_out(commit)
            await asyncio.to_thread(_bring, names, self.hub.root, checkout.tree)
            await checkout.renew_repository(_BRANCH, commit)
            await self._run(name, checkout, context, shared=shared)
            await checkout.reset(commit)
            entries, excluded = await self._entries(checkout, frozenset(names))
            tracked = (await checkout.exact(commit)).files
            folder = self.hub.cache / "environments" / own
            folder.mkdir(parents=True)
            files = await self._taken(name if shared else "", checkout, entries, folder)
        finally:
            await checkout.remove()
        made = Environment(
            name=name, files=files, tracked=tracked, excluded=excluded, seconds=round(time.monotonic() - began, 3)
        )
        await asyncio.to_thread(self._keep, made, commit)
        self.made.add(name)
        return made

    async def _taken(self, shared: str, checkout: Checkout, entries: list[str], folder: Path) -> EnvironmentFiles:
        """Raises EnvironmentFailedError if the files cannot be copied, for example because a path is too long for the
        system.
        """
        try:
            return await asyncio.to_thread(take_out, checkout.tree, entries, folder)
        except OSError as error:
            await asyncio.to_thread(erase, folder)
            message = f"{error.strerror}: {str(error.filename)[:_SHOWN]}"
            why = f"the files from the setup command cannot be copied: {self.command}\n{message}"
            if shared:
                self.failed[shared] = why
            raise EnvironmentFailedError(why) from error

    async def _run(self, name: str, checkout: Checkout, context: CommandContext, *, shared: bool) -> None:
        given = self.means if shared else self.lesser
        context = replace(context, env={**context.env, **given.variables, **_COPIED}, files=given.files)
        outcome = await self.shell.run(self.command, context, tree=checkout.tree, seconds=60 * self.minutes)
        if not outcome.passed:
            advice = self.advice if looks_refused(outcome.output) else ()
            lines = (f"the setup command failed: {self.command}", outcome.output, given.lacking, *advice)
            why = "\n".join(line for line in lines if line)
            if shared:
                self.failed[name] = why
            raise EnvironmentFailedError(why)

    async def _entries(self, checkout: Checkout, names: frozenset[str]) -> tuple[list[str], tuple[str, ...]]:
        """What the setup command has created: everything that git ignores, and folders unknown to git. A single file
        that is not ignored would count as the story's own work, and is left out, as in gate trees.
        """
        everything = await checkout.others(ignored=True)
        unknown = set(await checkout.others(ignored=False))
        entries = [
            path
            for path in everything
            if path.rstrip("/") not in names
            and path.rstrip("/").rpartition("/")[2] not in {_CACHE, ".git"}
            and (path.endswith("/") or path not in unknown)
        ]
        return [path.rstrip("/") for path in entries], tuple(path for path in entries if path in unknown)

    # What is known of them --------------------------------------------------------------------------------------------

    def _record(self, name: str) -> Path:
        return self.hub.state / "environments" / f"{name}.json"

    def _keep(self, made: Environment, commit: Commit) -> None:
        record = {
            "format": _FORMAT,
            "folder": made.files.folder.name,
            "origin": made.files.origin,
            "commit": commit,
            "tracked": sorted(made.tracked),
            "excluded": made.excluded,
            "seconds": made.seconds,
            "items": made.files.items,
        }
        write_whole(self._record(made.name), json.dumps(record).encode())

    def _recalled(self, name: str) -> Environment | None:
        try:
            record: dict[str, Any] = json.loads(self._record(name).read_bytes())
            if record["format"] != _FORMAT:
                return None
            folder = self.hub.cache / "environments" / Path(record["folder"]).name
            items = {path: Item(*item) for path, item in record["items"].items()}
        except (OSError, ValueError, LookupError, TypeError):
            return None
        if not folder.is_dir():
            return None
        os.utime(self._record(name))  # marks it as used: see `remains`
        return Environment(
            name=name,
            files=EnvironmentFiles(folder=folder, origin=record["origin"], items=items),
            tracked=frozenset(record["tracked"]),
            excluded=tuple(record["excluded"]),
            seconds=record["seconds"],
        )

    # Beside others ----------------------------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def _alone(self, name: str) -> AsyncIterator[None]:
        """Only one task of any process makes an environment at a time; the lock ends with its holder."""
        async with self.locks.setdefault(name, asyncio.Lock()):
            file = self._record(name).with_suffix(".lock")
            file.parent.mkdir(parents=True, exist_ok=True)
            async with alone(file):
                yield

    def _surroundings(self) -> dict[str, str]:
        """Interpreter, platform and package index, found without starting a program."""
        path, home = self.shell.env.get("PATH", os.defpath), Path(self.shell.env.get("HOME", "/"))
        tools = {tool: _looks(found) for tool in _TOOLS if (found := shutil.which(tool, path=path))}
        files = {f"~/{name}": _looks(str(home / name)) for name in _INDEX_FILES if (home / name).is_file()}
        machine = {"platform": f"{sys.platform} {platform.machine()}", "libc": " ".join(platform.libc_ver())}
        return {**tools, **files, **machine, **index_variables(self.means.variables)}


_KEYS: Final = 1000


def _bring(names: Iterable[str], source: Path, target: Path) -> None:
    for name in names:
        copy_within(source, target, name)


def _looks(path: str) -> str:
    real = os.path.realpath(path)
    try:
        status = os.stat(real)  # noqa: PTH116 - a plain string, like its argument
    except OSError:
        return real
    return f"{real} {status.st_size} {status.st_mtime_ns}"
