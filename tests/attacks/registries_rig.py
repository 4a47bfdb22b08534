"""What attacks on the setup command share: a repository, its user, and the sandbox in which its setup command runs."""

import asyncio
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from shiftwork.adapters.workspace.shell import Errand, Outcome, Shell
from shiftwork.bootstrap.registries import registries_in_force
from shiftwork.bootstrap.sandboxing import Sandboxes, open_sandboxes
from shiftwork.config.settings import Settings
from shiftwork.config.site import CACHE_HOME, STATE_HOME, Site, find_site
from shiftwork.config.trust import Claim
from shiftwork.entrypoints.cli.conditions import conditions
from shiftwork.entrypoints.cli.trusting import book

PYTHON = str(Path(sys.executable).resolve())
FETCH = (
    f"{PYTHON} -c 'import os,urllib.request as r; print(r.urlopen(os.environ[\"CALLED\"], timeout=5).read().decode())'"
)
"""Prints what is at the address CALLED, through the proxy where there is one."""


@dataclass(frozen=True, kw_only=True)
class User:
    """Somebody with a home, a repository and programs of their own."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def root(self) -> Path:
        return self.home / "project"

    @property
    def tree(self) -> Path:
        return self.folder / "cache" / "tree"

    def environment(self, tier: str, **more: str) -> dict[str, str]:
        tools = f"{self.folder}/tools:{Path(PYTHON).parent}:/usr/bin:/bin"
        homes = {STATE_HOME: f"{self.folder}/state", CACHE_HOME: f"{self.folder}/cache"}
        own = {"SHIFTWORK_CONFIG_HOME": f"{self.folder}/config", "SHIFTWORK_SANDBOX": tier}
        return {"HOME": str(self.home), "PATH": tools, **homes, **own, **more}

    def here(self, env: dict[str, str]) -> tuple[Site, Settings]:
        site = find_site(self.root, env)
        return site, conditions(site, env).settings

    def trusts(self, claim: Claim, tier: str) -> None:
        book(self.environment(tier)).trust(claim)

    def sandboxes(self, env: dict[str, str]) -> Sandboxes:
        async def opened() -> Sandboxes:
            site, settings = self.here(env)
            return await open_sandboxes(site, settings, env, (), await registries_in_force(site, settings, env))

        return asyncio.run(opened())

    def sets_up(self, tier: str, command: str, **more: str) -> Outcome:
        """Run the command as the setup command is run; `more` are variables of the user, and of the command."""
        env = self.environment(tier, **more)
        shell = Shell(env=env, sandbox=self.sandboxes(env).setup)
        errand = Errand(marker=f"setup{self.folder}")
        return asyncio.run(shell.run(command, errand, tree=self.tree, seconds=60))


def new_user(folder: Path) -> User:
    user = User(folder=folder)
    user.root.mkdir(parents=True)
    user.tree.mkdir(parents=True)
    (folder / "tools").mkdir()
    subprocess.run(["git", "init", "-q", str(user.root)], check=True)
    return user
