"""The user's repository in tests of the application: values, or real git where git is the point."""

import os
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.sandbox.sandbox import OPEN, Sandbox
from shiftwork.adapters.workspace.gates.canary import GitCanary
from shiftwork.adapters.workspace.gates.gates import GitGates, judge_gate
from shiftwork.adapters.workspace.gates.protection import GitProtecting
from shiftwork.adapters.workspace.gates.runner_settings import merged
from shiftwork.adapters.workspace.gates.verification import Verifier
from shiftwork.adapters.workspace.git.changes import GitChanges
from shiftwork.adapters.workspace.git.evidence_reader import GitCommitInspector
from shiftwork.adapters.workspace.git.git import Identity
from shiftwork.adapters.workspace.hub.hub_setup import open_hub
from shiftwork.adapters.workspace.hub.landing import GitRepository
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import CommandContext, Shell
from shiftwork.adapters.workspace.tree.workspaces import GitWorkspaces
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateResult
from shiftwork.domain.run.overlap import check_environment
from shiftwork.ports.canary import Canary
from shiftwork.ports.changes import Changes, CommitInspector
from shiftwork.ports.protecting import Protecting
from shiftwork.ports.workspace import Gates, Repository, Workspaces
from shiftwork.testing.fake_repository.commit_reading import FakeChanges, FakeCommitInspector, FakeProtecting
from shiftwork.testing.fake_repository.commits import (
    LINK,
    PLAIN,
    CommitStore,
    File,
    Tree,
    name_tree,
    remove_file,
    write_file,
    write_folder,
)
from shiftwork.testing.fake_repository.gates import FakeCanary, FakeGates, LineListener, RunGate
from shiftwork.testing.fake_repository.repository import FakeRepository, FakeWorkspaces

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}

type Files = Mapping[str, str | bytes | Path | File | None]
"""The content of files by their paths; a path is where a link leads, and None removes a file."""


def file_of(content: str | bytes | Path | File) -> File:
    if isinstance(content, File):
        return content
    if isinstance(content, Path):
        return File(LINK, os.fsencode(content))
    return File(PLAIN, content.encode() if isinstance(content, str) else content)


class RepositoryPorts(NamedTuple):
    """What a context knows of the repository."""

    workspaces: Workspaces
    repository: Repository
    gates: Gates
    canary: Canary
    protecting: Protecting
    inspector: CommitInspector
    changes: Changes


@dataclass(frozen=True, kw_only=True)
class CommandSettings:
    """How gates run; without `recalls`, also where they were green before."""

    setup: str = ""
    sandbox: Sandbox = OPEN
    recalls: bool = True


class Project(Protocol):
    """A repository as its user sees it. A commit is named by a branch or by itself, also with `~` and a number for one
    before it.
    """

    def open_ports(self, settings: CommandSettings) -> AbstractAsyncContextManager[RepositoryPorts]: ...

    def commit_files(self, files: Files, message: str) -> Commit:
        """On `main`, as the user."""
        ...

    def commit_on(self, base: str, files: Files, message: str) -> Commit:
        """On top of a commit; moves no branch."""
        ...

    def find_commit(self, name: str) -> Commit: ...

    def find_tree(self, at: str) -> str: ...

    def read_tree(self, at: str) -> Tree: ...

    def read_message(self, at: str) -> str: ...

    def list_commits(self, at: str) -> list[Commit]:
        """All that the commit contains, newest first."""
        ...

    def rename_branch(self, old: str, new: str) -> None: ...

    def set_branch(self, branch: str, at: str) -> None:
        """Makes the branch, or moves it."""
        ...

    def check_out(self, at: str, folder: Path) -> None:
        """Writes the files of a commit into a new folder."""
        ...


def git(repo: Path, *args: str) -> str:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@localhost")
    ran = subprocess.run(("git", *identity, *args), cwd=repo, check=True, capture_output=True, text=True)
    return ran.stdout.strip()


def make_repository(root: Path) -> Path:
    repo = root / "repo"
    repo.mkdir()
    git(repo, "init", "--quiet", "--initial-branch=main")
    (repo / "README").write_text("a project\n")
    git(repo, "add", "-A")
    git(repo, "commit", "--quiet", "-m", "start")
    return repo


@dataclass(frozen=True, kw_only=True)
class GitProject:
    """`repo` is the user's checkout."""

    repo: Path
    cache: Path

    @asynccontextmanager
    async def open_ports(self, settings: CommandSettings) -> AsyncIterator[RepositoryPorts]:
        identity, state = Identity(name="Test", email="test@localhost"), self.repo / ".git/shiftwork"
        hub = await open_hub(root=self.repo, state=state, cache=self.cache, identity=identity, env=ENV)
        setup = Setup(shell=Shell(env=ENV, sandbox=settings.sandbox), command=settings.setup, minutes=1)
        gates = GitGates(hub=hub, setup=setup, recalls=settings.recalls)
        try:
            yield RepositoryPorts(
                workspaces=GitWorkspaces(hub=hub, setup=setup),
                repository=GitRepository(hub=hub),
                gates=gates,
                canary=GitCanary(gates=gates),
                protecting=GitProtecting(hub=hub),
                inspector=GitCommitInspector(hub=hub),
                changes=GitChanges(hub=hub),
            )
        finally:
            setup.close()

    def commit_files(self, files: Files, message: str) -> Commit:
        for name, content in files.items():
            path = self.repo / name
            if path.is_symlink() or path.exists():
                remove_file(self.repo, path)
            if content is not None:
                write_file(path, file_of(content))
        if files:
            git(self.repo, "add", "-f", "-A", "--", *(f":(literal){name}" for name in files))
        git(self.repo, "commit", "--quiet", "--allow-empty", "-m", message)
        return self.find_commit("HEAD")

    def commit_on(self, base: str, files: Files, message: str) -> Commit:
        git(self.repo, "checkout", "--quiet", "--detach", base)
        commit = self.commit_files(files, message)
        git(self.repo, "checkout", "--quiet", "main")
        return commit

    def find_commit(self, name: str) -> Commit:
        return Commit(git(self.repo, "rev-parse", "--verify", f"{name}^{{commit}}"))

    def find_tree(self, at: str) -> str:
        return self._read("rev-parse", f"{at}^{{tree}}").strip()

    def read_tree(self, at: str) -> Tree:
        rows = [row.partition("\t") for row in self._read("ls-tree", "-r", "-z", at).split("\0")[:-1]]
        return {path: self._read_file(*head.split(" ")) for head, _, path in rows}

    def _read_file(self, mode: str, kind: str, name: str) -> File:
        return File(mode, os.fsencode(self._read("cat-file", kind, name)))

    def read_message(self, at: str) -> str:
        return git(self.repo, "log", "-1", "--format=%B", at)

    def list_commits(self, at: str) -> list[Commit]:
        return list(map(Commit, git(self.repo, "rev-list", at).splitlines()))

    def rename_branch(self, old: str, new: str) -> None:
        git(self.repo, "branch", "--move", old, new)

    def set_branch(self, branch: str, at: str) -> None:
        if git(self.repo, "branch", "--show-current") == branch:
            git(self.repo, "reset", "--quiet", "--hard", at)
        else:
            git(self.repo, "branch", "--force", branch, at)

    def check_out(self, at: str, folder: Path) -> None:
        git(self.repo, "worktree", "add", "--quiet", "--detach", str(folder), at)

    def _read(self, *args: str) -> str:
        """Also from commits that only the harness has."""
        hub = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(self.repo / ".git/shiftwork/hub.git/objects")}
        command = ("git", *args)
        ran = subprocess.run(command, cwd=self.repo, env={**ENV, **hub}, check=True, capture_output=True)
        return os.fsdecode(ran.stdout)


@dataclass(frozen=True, kw_only=True)
class FakeProject:
    """`folder` gets the workspaces and what gates run in."""

    folder: Path
    store: CommitStore = field(default_factory=lambda: CommitStore(clock=SystemClock()))

    @asynccontextmanager
    async def open_ports(self, settings: CommandSettings) -> AsyncIterator[RepositoryPorts]:
        assert not settings.setup, "a setup command needs real git: use the fixture `git_rig`"
        gates = FakeGates(
            store=self.store,
            run=command_runner(settings.sandbox),
            folder=self.folder / "gates",
            recalls=settings.recalls,
        )
        yield RepositoryPorts(
            workspaces=FakeWorkspaces(store=self.store, folder=self.folder / "workspaces"),
            repository=FakeRepository(store=self.store),
            gates=gates,
            canary=FakeCanary(gates=gates),
            protecting=FakeProtecting(store=self.store, merge_settings=merged),
            inspector=FakeCommitInspector(store=self.store),
            changes=FakeChanges(store=self.store),
        )

    def commit_files(self, files: Files, message: str) -> Commit:
        present = self.store.branches.get("main")
        self.store.branches["main"] = self._record(files, message, *([present] if present else []))
        return self.store.branches["main"]

    def commit_on(self, base: str, files: Files, message: str) -> Commit:
        return self._record(files, message, self.find_commit(base))

    def _record(self, files: Files, message: str, *parents: Commit) -> Commit:
        tree = dict(self.store.tree(parents[0])) if parents else {}
        for name, content in files.items():
            tree.pop(name, None)
            if content is not None:
                tree[name] = file_of(content)
        return self.store.record(tree, parents, message)

    def find_commit(self, name: str) -> Commit:
        start, _, back = name.partition("~")
        commit = self.store.branches.get(start, Commit(start))
        for _ in range(int(back or 1) if "~" in name else 0):
            commit = self.store.find(commit).parents[0]
        self.store.find(commit)
        return commit

    def find_tree(self, at: str) -> str:
        return name_tree(self.store.tree(self.find_commit(at)))

    def read_tree(self, at: str) -> Tree:
        return self.store.tree(self.find_commit(at))

    def read_message(self, at: str) -> str:
        return self.store.find(self.find_commit(at)).message.strip()

    def list_commits(self, at: str) -> list[Commit]:
        return self.store.list_history(self.find_commit(at))

    def rename_branch(self, old: str, new: str) -> None:
        self.store.branches[new] = self.store.branches.pop(old)

    def set_branch(self, branch: str, at: str) -> None:
        self.store.branches[branch] = self.find_commit(at)

    def check_out(self, at: str, folder: Path) -> None:
        write_folder(folder, self.store.tree(self.find_commit(at)))


def command_runner(sandbox: Sandbox = OPEN) -> RunGate:
    """Runs the commands of gates as the real gates do."""
    setup = Setup(shell=Shell(env=ENV, sandbox=sandbox))
    verifier = Verifier(shell=setup.shell)

    async def run(gate: Gate, folder: Path, marker: str, number: int, on_line: LineListener) -> GateResult:
        context = CommandContext(
            marker=marker,
            env={**check_environment(number), **setup.variables_for_gates(folder, None)},
            on_output=lambda line: on_line(line.decode(errors="replace")),
        )
        return await judge_gate(gate, folder, context, verifier)

    return run
