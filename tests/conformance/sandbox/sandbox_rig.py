"""A user with a home, a repository and tools of their own, and the sandbox around programs that work for them."""

import asyncio
import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from shiftwork.adapters.processes.supervisor.supervise import Spawn
from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.adapters.sandbox.network.proxy import Pass
from shiftwork.adapters.sandbox.toolchain import Toolchain
from shiftwork.adapters.workspace.tree.shell import CommandContext, Outcome, Shell
from shiftwork.domain.network.hosts import read_host

BWRAP = shutil.which("bwrap") or "/usr/bin/bwrap"
_CI = os.environ.get("CI", "") == "true"  # noqa: TID251 - what a test run is given from outside
NEEDS_BUBBLEWRAP = pytest.mark.skipif(
    sys.platform != "linux" or not (_CI or Path(BWRAP).exists()), reason="bubblewrap is not installed"
)
"""On Linux alone; and in CI it is there."""

SECRET = "do not look"  # noqa: S105 - a word to look for


def around_gates(repo: Path) -> Bubblewrap:
    """The sandbox of gates that start the Python of the tests."""
    python = Toolchain(Path("/nonexistent"), (repo,)).of_folders([Path(sys.executable).parent])
    objects = (repo / ".git/objects", repo / ".git/shiftwork/hub.git/objects")
    readable = (*python, *objects)
    return Bubblewrap(program=BWRAP, home=Path("/nonexistent"), repository=repo, readable=readable, judging=True)


@dataclass(frozen=True, kw_only=True)
class Confined:
    """Programs in a workspace of the user's repository. `marker` is that of whatever is run."""

    folder: Path
    home: Path
    repo: Path
    tree: Path
    walls: Bubblewrap
    marker: str
    path: str = os.defpath

    @property
    def env(self) -> dict[str, str]:
        return {"PATH": self.path, "HOME": str(self.home), "LANG": "C.UTF-8"}

    def run(self, command: str, **env: str) -> Outcome:
        shell = Shell(env={**self.env, **env}, sandbox=self.walls)
        context = CommandContext(marker=self.marker)
        return asyncio.run(shell.run(command, context, tree=self.tree, seconds=90))

    def spawn(self, command: str) -> Spawn:
        return Spawn(
            argv=("/bin/sh", "-c", command),
            cwd=self.tree,
            env=self.env,
            marker=self.marker,
            wall_seconds=90,
            silence_seconds=90,
        )

    def allowing(self, **more: object) -> "Confined":
        return replace(self, walls=replace(self.walls, **more))  # type: ignore[arg-type]


def reach(hosts: Iterable[str]) -> Pass | None:
    listed = tuple(map(read_host, hosts))
    return Pass(hosts=listed, table="sandbox.gates") if listed else None


def confined(folder: Path, reaching: Iterable[str] = ()) -> Confined:
    home = folder / "home" / "ada"
    repo = home / "project"
    tree = repo / ".git/shiftwork" / "workspaces" / "r1" / "US-001-1"
    tree.mkdir(parents=True, exist_ok=True)
    for secret in (home / ".ssh" / "id", home / ".netrc", repo / ".env", repo / ".git/shiftwork" / "state.db"):
        secret.parent.mkdir(exist_ok=True)
        secret.write_text(SECRET)
    (repo / ".git").mkdir(exist_ok=True)
    walls = Bubblewrap(program=BWRAP, home=home, repository=repo, reach=reach(reaching))
    marker = f"walls{folder}"
    return Confined(folder=folder, home=home, repo=repo, tree=tree, walls=walls, marker=marker)
