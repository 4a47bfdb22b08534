"""The trials port: runs a gate in a gate tree with the user's variables and ignored files, or in their checkout."""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.gates.failure_cause import with_cause
from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.adapters.workspace.tree.included_files import included
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import CommandContext, Shell
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.checkout_difference import mentioned
from shiftwork.domain.gates.checkout_trial import Difference, Named, Trial
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.tampering.reserved_paths import is_reserved
from shiftwork.errors import RepositoryError
from shiftwork.records import dataclass, replace

_INCLUDE_FILE: Final = ".worktreeinclude"
MOST_FILES: Final = 200
MOST_BYTES: Final = 8 * 1024 * 1024
_FILE_BYTES: Final = 1024 * 1024
_MATCHES: Final = "20"
"""How many matches to search for in one file."""

_MADE_AGAIN: Final = """
    .venv venv env virtualenv node_modules target build dist out bin obj vendor deps _build .bundle .eggs .direnv
    .tox .nox .gradle .m2 .next .nuxt .turbo .parcel-cache .svelte-kit .stack-work .terraform
    __pycache__ .mypy_cache .pytest_cache .ruff_cache .hypothesis .cache coverage htmlcov .idea .vscode .git
"""
_NOT_COPIED: Final = frozenset(_MADE_AGAIN.split())
"""Folders that tools create again: environments, packages, builds, caches."""

_MADE_BY_TOOLS: Final = frozenset({"pyvenv.cfg", "conda-meta", "CACHEDIR.TAG", ".git"})
"""Names inside folders that are environments, caches or nested repositories."""

_OF_THE_SHELL: Final = frozenset({"_", "PWD", "OLDPWD", "SHLVL", "PS1", "PS2", "PS4", "LINES", "COLUMNS", "CI"})

_PLAIN: Final = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all")


@dataclass(frozen=True, slots=True, kw_only=True)
class GitTrials:
    """`env` is the user's whole environment; `setup` has the gates' shell. Paths in `own` belong to the harness."""

    hub: Hub
    setup: Setup
    commit: Commit
    env: Mapping[str, str]
    own: tuple[str, ...] = ()

    async def differ(self, printed: str) -> Difference:
        variables = tuple(sorted(self._hidden()))
        files = await self._ignored()
        return Difference(
            variables=Named(
                everything=variables,
                printed=mentioned(variables, printed),
                tracked=await self._tracked(variables),
            ),
            files=Named(
                everything=files,
                printed=_by_name(files, mentioned(_names(files), printed)),
                tracked=_by_name(files, await self._tracked(_names(files))),
            ),
            uncommitted=await self._uncommitted(),
        )

    async def passes(self, gate: Gate, trial: Trial) -> bool:
        shell = self.setup.shell
        more = {name: self.env[name] for name in trial.variables}
        setup = replace(self.setup, shell=replace(shell, env={**shell.env, **more}), extra=trial.files)
        gates = GitGates(hub=self.hub, setup=setup, recalls=False)
        try:
            commit = await self._as_it_is() if trial.uncommitted else self.commit
            return (await gates.check(commit, (gate,), "doctor/trial", base=self.commit)).passed
        except RepositoryError:
            return False

    def _hidden(self) -> Iterator[str]:
        """The variables that gates do not get. A variable that points into the checkout is left out, because gates
        would then use the checkout instead of the tree.
        """
        for name, value in self.env.items():
            own = name in self.setup.shell.env or name in _OF_THE_SHELL or name.startswith(("SHIFTWORK_", "GIT_"))
            if not own and str(self.hub.root) not in value:
                yield name

    async def _ignored(self) -> tuple[str, ...]:
        """Files of the checkout that git ignores and gate trees lack, except what tools create again."""
        asked = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
        names = [name for name in (await self.hub.user.run(*asked)).parts if not self._is_own(name)]
        there = set(await included(self.hub.user, self.setup.included))
        found = await asyncio.to_thread(lambda: tuple(_bounded(self.hub.root, names)))
        return tuple(name for name in found if name not in there)

    async def _tracked(self, names: Sequence[str]) -> tuple[str, ...]:
        """The names that occur as words in a file of the commit; files that list ignored files are skipped."""
        if not names:
            return ()
        patterns = [word for name in names for word in ("-e", name)]
        places = ("--", ".", ":(exclude,glob)**/.*ignore", f":(exclude){_INCLUDE_FILE}")
        options = ("-I", "-h", "-o", "-w", "-F", "-m", _MATCHES)
        answer = await self.hub.user.run("grep", *options, *patterns, self.commit, *places, accept=(0, 1))
        found = set(answer.text.split("\n"))
        return tuple(name for name in names if name in found)

    async def _uncommitted(self) -> tuple[str, ...]:
        """Paths that differ from the commit, new files included."""
        changed = await self.hub.user.run("diff", *_PLAIN, "-z", "--name-only", self.commit, "--")
        new = await self.hub.user.run("ls-files", "-z", "--others", "--exclude-standard")
        return tuple(name for name in (*changed.parts, *new.parts) if not self._is_own(name))

    async def _as_it_is(self) -> Commit:
        """The checkout without ignored files, as a commit of the hub; does not change the user's index."""
        root, index = self.hub.root, self.hub.state / "indexes" / "doctor.index"
        index.parent.mkdir(parents=True, exist_ok=True)
        git = self.hub.git.at(root, GIT_WORK_TREE=str(root), GIT_INDEX_FILE=str(index))
        try:
            await git.run("read-tree", self.commit)
            await git.run("add", "-A")
            return self.hub.record((await git.run("write-tree")).text, self.commit, "the checkout as it is")
        finally:
            index.unlink(missing_ok=True)

    def _is_own(self, name: str) -> bool:
        return name in self.own or is_reserved(name)


async def check_in_place(root: Path, gates: Sequence[Gate], env: Mapping[str, str]) -> GateReport:
    """Runs the gates in the user's checkout as it is, one by one, with the user's whole environment."""
    shell, results = Shell(env=env), list[GateResult]()
    for gate in gates:
        outcome = await shell.run(
            gate.command, CommandContext(marker="doctor/checkout"), tree=root, seconds=60 * gate.minutes
        )
        result = GateResult(
            name=gate.name,
            passed=outcome.passed,
            seconds=outcome.seconds,
            output=outcome.output,
            command=gate.command,
        )
        results.append(result if result.passed else await asyncio.to_thread(with_cause, result, root, gate.cwd, None))
    return GateReport(commit=Commit(""), results=tuple(results))


def _bounded(root: Path, names: Sequence[str]) -> Iterator[str]:
    """Files that can be copied: not too large, not too many, and nothing that tools create again."""
    count, size = 0, 0
    for name in _files(root, names):
        try:
            file = (root / name).lstat()
        except OSError:
            continue
        if file.st_size <= _FILE_BYTES and size + file.st_size <= MOST_BYTES:
            count, size = count + 1, size + file.st_size
            yield name
        if count == MOST_FILES:
            return


def _files(root: Path, names: Sequence[str]) -> Iterator[str]:
    """The files among git's names; a name that ends with a slash is a folder whose whole content is ignored."""
    for name in names:
        path = root / name
        if not _NOT_COPIED.isdisjoint(name.split("/")) or path.suffix in {".pyc", ".egg-info"}:
            continue
        if not name.endswith("/"):
            yield name
            continue
        for folder, folders, files in os.walk(path):
            if not _MADE_BY_TOOLS.isdisjoint((*folders, *files)):
                folders.clear()
                continue
            folders[:] = sorted(inner for inner in folders if inner not in _NOT_COPIED)
            yield from (str((Path(folder) / file).relative_to(root)) for file in sorted(files))


def _names(files: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(Path(file).name for file in files))


def _by_name(files: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(file for file in files if Path(file).name in names)
