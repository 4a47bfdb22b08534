"""What attacks on the setup command share: a repository, its user, and the sandbox in which its setup command runs."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shiftwork.adapters.workspace.git.git import Identity
from shiftwork.adapters.workspace.hub.agent_repository import lenders
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import CommandContext, Outcome, Shell
from shiftwork.bootstrap.git_consent import open_hub_here
from shiftwork.bootstrap.sandbox.registries import registries_in_force
from shiftwork.bootstrap.sandbox.sandboxes import Sandboxes, open_sandboxes
from shiftwork.bootstrap.work.setup import build_setup
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import CACHE_HOME, STATE_HOME, Site, find_site, open_state
from shiftwork.config.trust.consent_claims import Claim, settings_claim
from shiftwork.domain.core.ids import Commit
from shiftwork.entrypoints.cli.env.conditions import conditions
from shiftwork.entrypoints.cli.env.trust import book
from shiftwork.errors import DependenciesError

PYTHON = str(Path(sys.executable).resolve())
FETCH = (
    f"{PYTHON} -c 'import os,urllib.request as r; print(r.urlopen(os.environ[\"CALLED\"], timeout=5).read().decode())'"
)
"""Prints what is at the address CALLED, through the proxy where there is one."""

_IDENTITY = Identity(name="Ada", email="ada@example.org")


@dataclass(frozen=True, kw_only=True)
class User:
    """A user with a home, a repository and programs of their own."""

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

    def agrees(self, tier: str, setup: str) -> None:
        """Settings with this setup command, which the user has trusted."""
        (self.root / "shiftwork.toml").write_text(f"[workspace]\nsetup = {json.dumps(setup)}\n")
        self.trusts(settings_claim(self.root), tier)

    async def opened(self, env: dict[str, str]) -> tuple[Sandboxes, Setup, Hub]:
        site, settings = self.here(env)
        open_state(site)
        hub = await open_hub_here(site, _IDENTITY, env)
        registries = await registries_in_force(site, settings, env)
        sandboxes = await open_sandboxes(site, settings, env, lenders(hub), registries)
        return sandboxes, build_setup(site, settings, env, sandboxes), hub

    def sets_up(self, tier: str, command: str, **more: str) -> Outcome:
        """Run the command in the sandbox of setup commands; `more` are variables of the user, and of the command."""
        env = self.environment(tier, **more)

        async def ran() -> Outcome:
            sandboxes, _, _ = await self.opened(env)
            context = CommandContext(marker=f"setup{self.folder}")
            return await Shell(env=env, sandbox=sandboxes.setup).run(command, context, tree=self.tree, seconds=60)

        return asyncio.run(ran())

    def fails(self, tier: str, changed: Mapping[str, str] | None = None, **more: str) -> str:
        """What is said of the setup command, which has to fail, on a commit of the checkout; where files are `changed`,
        on the work of a story on top of that.
        """
        base = self.commit()
        commit = self.commit(changed) if changed is not None else base
        self.git("reset", "-q", "--hard", base)

        async def failed() -> str:
            _, setup, hub = await self.opened(self.environment(tier, **more))
            context = CommandContext(marker=f"made{self.folder}")
            try:
                assert await setup.environment(hub, commit, context, base) is None
            except DependenciesError as error:
                return error.message
            return await setup.failure(hub, base)

        return asyncio.run(failed())

    def git(self, *words: str) -> str:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        done = subprocess.run(["git", *who, *words], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, files: Mapping[str, str] | None = None) -> Commit:
        for name, text in (files or {}).items():
            (self.root / name).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "work")
        return Commit(self.git("rev-parse", "HEAD"))


def new_user(folder: Path) -> User:
    user = User(folder=folder)
    user.root.mkdir(parents=True)
    user.tree.mkdir(parents=True)
    (folder / "tools").mkdir()
    user.git("init", "-q", "-b", "main")
    user.commit()
    return user
