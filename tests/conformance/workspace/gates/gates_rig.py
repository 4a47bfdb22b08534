"""Gates of a user's repository, with a sandbox around their commands or without."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest

from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.adapters.sandbox.sandbox import OPEN
from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.git.git import Identity
from shiftwork.adapters.workspace.hub.agent_repository import ALTERNATES, borrows, lenders
from shiftwork.adapters.workspace.hub.hub_setup import open_hub
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import Shell
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.ports.workspace import Gates
from shiftwork.testing.git_user import EMAIL, NAME, GitUser
from tests.conformance.sandbox.sandbox_rig import BWRAP, NEEDS_BUBBLEWRAP

MARKER: Final = f"{os.getpid()}/US-001/gates/1"
"""Names one program of the whole host, where other tests run at the same time."""

TIERS: Final = ("none", pytest.param("bubblewrap", marks=NEEDS_BUBBLEWRAP))

type Opened = Callable[..., Gates]
"""Gates with a setup command; calling again is like starting a new process."""


def opener(user: GitUser, tier: str) -> Opened:
    identity = Identity(name=NAME, email=EMAIL)
    env = {**user.env, "GIT_DIR": "/nowhere"}

    def opened(setup: str, *keep: str) -> Gates:
        hub = asyncio.run(open_hub(root=user.root, state=user.state, cache=user.cache, identity=identity, env=env))
        lent = frozenset((ALTERNATES, str(folder)) for folder in borrows(hub.objects))
        hub = replace(hub, user=replace(hub.user, agreed=lent))
        # Gates here leave their traces in the home, where the test finds them.
        walls = Bubblewrap(
            program=BWRAP,
            home=user.home,
            repository=user.root,
            readable=lenders(hub),
            writable=(user.home,),
            network=False,
        )
        shell = Shell(env=env, sandbox=walls if tier == "bubblewrap" else OPEN)
        return GitGates(hub=hub, setup=Setup(shell=shell, command=setup, minutes=2, keep=frozenset(keep)))

    return opened


def check(gates: Gates, commit: Commit, *commands: str, minutes: float = 2) -> GateReport:
    asked = [Gate(name=f"gate-{number}", command=text, minutes=minutes) for number, text in enumerate(commands)]
    return asyncio.run(gates.check(commit, asked, MARKER))


def meeting(user: GitUser, name: str) -> str:
    """A command that two gates begin with: neither continues before the other has started."""
    marks = user.home / f"met-{name}"
    marks.mkdir()
    return f"mktemp {marks}/XXXXXX > /dev/null; while [ $(ls {marks} | wc -l) -lt 2 ]; do sleep 0.02; done"


def outputs(report: GateReport) -> list[str]:
    return [result.output for result in report.results]
