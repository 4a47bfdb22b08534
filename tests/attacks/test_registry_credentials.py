"""Attacks on the user's credentials for package registries, which only the setup command receives."""

import asyncio
import json
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.tree.shell import CommandContext, Shell
from shiftwork.config.settings.sections import AgentSettings
from tests.attacks.registries_rig import User, new_user
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP

pytestmark = NEEDS_BUBBLEWRAP

TOKEN = "tk-51b9c0e2f7"  # noqa: S105 - a word to look for
LOOK = (
    f"grep -rq {TOKEN} $HOME/.npmrc $HOME/.netrc $HOME/.config/pip && echo found credentials; "
    f"env | grep -q {TOKEN} && echo found one; false"
)
"""Fails, so that its output is reported."""
FOUND = "\nfound "


def row(name: str, *, none: Outcome = Outcome.SUCCEEDED) -> Attack:
    """Without a sandbox the setup command has the user's home, by their own choice."""
    return Attack(name=name, layer="registries", severity=Severity.HIGH, harm=Harm.SECRETS, none=none)


def came_to(happened: object) -> Outcome:
    return Outcome.SUCCEEDED if happened else Outcome.PREVENTED


@pytest.fixture
def user(tmp_path: Path) -> User:
    """With a login for a registry of their own, in a project that uses it."""
    made = new_user(tmp_path)
    (made.home / ".npmrc").write_text(
        f"registry=https://npm.example.org/\n//npm.example.org/:_authToken={TOKEN}\n//npm.example.org/:email=a@b\n"
    )
    (made.root / "package.json").write_text('{"scripts": {"test": "true", "postinstall": "true"}}')
    (made.root / "package-lock.json").write_text("{}")
    return made


@attack(row("a story changes its dependencies to send the user's credentials for registries away"))
def test_story_with_other_dependencies(tier: str, user: User) -> Outcome:
    user.agrees(tier, LOOK)
    assert FOUND in user.fails(tier), "the setup command that was agreed to has them on the base"
    script = json.dumps({"scripts": {"test": "true", "preinstall": "cat ~/.npmrc"}})
    message = user.fails(tier, {"package.json": script})
    assert tier == "none" or "because this work changes dependency files" in message
    return came_to(FOUND in message)


@attack(row("a setup command that was only found gets the user's credentials for registries"))
def test_found_setup(tier: str, user: User, tmp_path: Path) -> Outcome:
    """It is `npm ci`, and which `npm` that is the user knows best."""
    (tmp_path / "tools" / "npm").write_text(f"#!/bin/sh\n{LOOK}\n")
    (tmp_path / "tools" / "npm").chmod(0o755)
    message = user.fails(tier)
    assert "the setup command failed: npm ci" in message
    assert tier == "none" or "because it was only detected" in message
    return came_to(FOUND in message)


@attack(row("settings that nobody has trusted get the user's credentials for registries"))
def test_settings_without_trust(tier: str, user: User) -> Outcome:
    (user.root / "shiftwork.toml").write_text(f"[workspace]\nsetup = {json.dumps(LOOK)}\n")
    return came_to(FOUND in user.fails(tier))


@attack(row("a gate reads the credentials that the setup command is given"))
def test_gates(tier: str, user: User) -> Outcome:
    user.agrees(tier, LOOK)

    async def ran() -> str:
        _, setup, _ = await user.opened(user.environment(tier, NPM_TOKEN=TOKEN))
        context = CommandContext(marker=f"gate{user.folder}")
        return (await setup.shell.run(f"echo; {LOOK}", context, tree=user.tree, seconds=60)).output

    return came_to(FOUND in asyncio.run(ran()))


@attack(row("an agent reads the credentials that the setup command is given"))
def test_agents(tier: str, user: User) -> Outcome:
    user.agrees(tier, LOOK)

    async def ran() -> str:
        env = user.environment(tier)
        sandboxes, _, _ = await user.opened(env)
        context = CommandContext(marker=f"agent{user.folder}")
        shell = Shell(env=env, sandbox=sandboxes.agents.of(AgentSettings(), "agent", env))
        return (await shell.run(f"echo; {LOOK}", context, tree=user.tree, seconds=60)).output

    return came_to(FOUND in asyncio.run(ran()))


@attack(row("a setup command reads logins for other hosts than registries in ~/.netrc"))
def test_other_logins(tier: str, user: User) -> Outcome:
    (user.home / ".npmrc").write_text("//npm.example.org/:email=a@b\n")
    entry = f"machine bank.example.org login ada password {TOKEN}\n"
    (user.home / ".netrc").write_text(
        f"machine npm.example.org login ada password another\n{entry}default login a password {TOKEN}\n"
    )
    (user.home / ".netrc").chmod(0o600)
    user.agrees(tier, f"grep -q another $HOME/.netrc && echo registry there; {LOOK}")
    message = user.fails(tier)
    assert "\nregistry there" in message
    return came_to(FOUND in message)


@attack(row("a setup command gets the tokens that publish packages", none=Outcome.PREVENTED))
def test_publishing(tier: str, user: User) -> Outcome:
    (user.home / ".npmrc").unlink()
    (user.root / "pyproject.toml").touch()
    user.agrees(tier, LOOK)
    names = ("UV_PUBLISH_TOKEN", "UV_PUBLISH_PASSWORD", "POETRY_PYPI_TOKEN_OWN", "TWINE_PASSWORD")
    return came_to(FOUND in user.fails(tier, None, **dict.fromkeys(names, TOKEN)))
