"""Stages for tests on real git: a user with the harness beside them, stories that land, and a hostile agent."""

import asyncio
import os
from pathlib import Path

from shiftwork.adapters.workspace.git.git import Identity
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.adapters.workspace.hub.hub_setup import open_hub
from shiftwork.adapters.workspace.hub.landing import GitRepository
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import Shell
from shiftwork.adapters.workspace.tree.workspaces import GitWorkspaces
from shiftwork.domain.core.ids import Commit
from shiftwork.git_folders import holding_branch
from shiftwork.ports.workspace import (
    Candidate,
    Conflict,
    Missed,
    Moved,
    Place,
    Repository,
    Reserved,
    Unchanged,
    Workspaces,
)
from shiftwork.testing.git_user import EMAIL, NAME, GitUser, new_user

# Names one workspace, and so one program of the whole host, where other tests run at the same time.
RUN = f"r{os.getpid()}"
PLACE = Place(run=RUN, story="US-001", number=1)
HELD = holding_branch("main")


def hub_of(user: GitUser) -> Hub:
    identity = Identity(name=NAME, email=EMAIL)
    return asyncio.run(open_hub(root=user.root, state=user.state, cache=user.cache, identity=identity, env=user.env))


def workspaces_of(user: GitUser, setup: str = "", included: tuple[str, ...] = ()) -> Workspaces:
    return GitWorkspaces(
        hub=hub_of(user), setup=Setup(shell=Shell(env=user.env), command=setup, minutes=2, included=included)
    )


def hub_git(user: GitUser, *args: str) -> str:
    return user.git(f"--git-dir={user.state / 'hub.git'}", *args)


def prepared(workspaces: Workspaces, user: GitUser) -> Path:
    return asyncio.run(workspaces.prepare(PLACE, user.at("HEAD")))


def files_of(tree: Path) -> dict[str, str]:
    """Every file below, `.git` at the root excepted: content, or where a link points."""
    return {
        str(path.relative_to(tree)): f"-> {path.readlink()}" if path.is_symlink() else path.read_text()
        for path in tree.rglob("*")
        if path.relative_to(tree).parts[0] != ".git" and (path.is_symlink() or path.is_file())
    }


def remove_empty(tree: Path, folder: Path) -> None:
    """As git does: it keeps no empty folders."""
    while folder != tree and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


class GitRig:
    """A user, their repository as the harness sees it, and stories that change files."""

    def __init__(self, folder: Path, beside: GitUser | None = None) -> None:
        self.user = beside or new_user(folder)
        self.hub: Hub = hub_of(self.user)
        self.repository: Repository = GitRepository(hub=self.hub)
        self.workspaces = GitWorkspaces(hub=self.hub, setup=Setup(shell=Shell(env=self.user.env)))
        self._stories = 0

    def story(self, files: dict[str, str | None], base: Commit | None = None) -> Commit:
        """A story's tip that changes these files, removing those without content."""
        self._stories += 1
        place = Place(run=RUN, story=f"US-{self._stories}", number=1)
        base = base or self.tip()
        tree = asyncio.run(self.workspaces.prepare(place, base))
        for name, content in files.items():
            if content is None:
                (tree / name).unlink()
                remove_empty(tree, (tree / name).parent)
            else:
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / name).write_text(content)
        return asyncio.run(self.workspaces.snapshot(place, base, "step"))

    def tip(self) -> Commit:
        return asyncio.run(self.repository.tip("main"))

    def candidate(self, tip: Commit, message: str = "feat: US - it") -> Candidate:
        built = self.try_candidate(tip, message)
        assert isinstance(built, Candidate)
        return built

    def try_candidate(self, tip: Commit, message: str = "feat: US - it") -> Candidate | Conflict | Unchanged | Reserved:
        """On the present tip of `main`."""
        return asyncio.run(self.repository.candidate(self.tip(), tip, message))

    def move(self, candidate: Candidate) -> Moved | Missed:
        return asyncio.run(self.repository.move("main", candidate))

    def land(self, files: dict[str, str | None]) -> Moved | Missed:
        return self.move(self.candidate(self.story(files)))

    def hold(self, files: dict[str, str | None]) -> Commit:
        """Land while edits of the user are in the way, which the user then reverts."""
        for name in files:
            self.user.write(name, "in the way\n")
        assert self.land(files) == Moved(ref=HELD)
        self.user.git("reset", "--quiet", "--hard")
        self.user.git("clean", "-fdq")
        return self.user.at(HELD)


class Scene:
    """A story's workspace, and the canary that must not be touched."""

    def __init__(self, folder: Path) -> None:
        self.user = new_user(folder)
        self.canary = folder / "canary"
        self.outside = folder / "outside"
        self.outside.mkdir()
        (self.outside / "a.txt").write_text("precious\n")
        self.workspaces: Workspaces = workspaces_of(self.user)
        self.base = self.user.at("main")
        self.tree = asyncio.run(self.workspaces.prepare(PLACE, self.base))
        self.displaced = self.user.state / "set-aside" / RUN / "US-001-1"

    def git(self, *args: str, cwd: Path | None = None) -> str:
        """As the agent, in its tree."""
        return self.user.git(*args, cwd=cwd or self.tree)

    def trap(self) -> Path:
        """A program that touches the canary."""
        path = self.outside / "trap"
        path.write_text(f"#!/bin/sh\ntouch '{self.canary}'\ncat\n")
        path.chmod(0o755)
        return path

    def snapshot(self, parent: Commit | None = None) -> Commit:
        return asyncio.run(self.workspaces.snapshot(PLACE, parent or self.base, "step"))

    def restore(self, name: str = "keep.diff") -> bool:
        return asyncio.run(self.workspaces.restore(PLACE, self.base, self.user.state / name))

    def hub(self, *args: str) -> str:
        return self.user.git(f"--git-dir={self.user.state / 'hub.git'}", *args)

    def listing(self, commit: Commit) -> list[str]:
        return self.hub("ls-tree", "-r", "-z", "--name-only", commit).split("\0")[:-1]
