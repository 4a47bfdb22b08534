"""Attacks by what a sandbox shows because programs need it: folders of tools, links, names of programs."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

from shiftwork.adapters.agents.acp.agent import AcpAgent
from shiftwork.adapters.agents.command import CommandAgent
from shiftwork.adapters.processes.supervisor.supervise import supervise
from shiftwork.adapters.sandbox.sandbox import OPEN, Room
from shiftwork.adapters.sandbox.toolchain import Toolchain
from shiftwork.adapters.workspace.tree.shell import CommandContext, Shell
from shiftwork.ports.agent import Agent, AgentLimits, AgentTask
from tests.attacks.secrets_rig import SECRET, open_without, row
from tests.attacks.state_rig import settled
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.conformance.sandbox.sandbox_rig import Confined, confined
from tests.e2e.cli_rig import new_project


def seen(tier: str, inside: Confined, *places: Path) -> str:
    """What a gate prints of these files."""
    command = f"cat {' '.join(map(str, places))}"
    if tier == "auto":
        return inside.run(command).output
    shell = Shell(env=inside.env, sandbox=OPEN)
    return asyncio.run(shell.run(command, CommandContext(marker=inside.marker), tree=inside.tree, seconds=60)).output


@attack(open_without("a wallet and a token lie beside the bin of a tool", Severity.MEDIUM, Harm.SECRETS, seen=22))
def test_wallet_beside_tools(tier: str, tmp_path: Path) -> Outcome:
    inside = confined(tmp_path)
    coin = inside.home / "coin"
    for name in ("bin/coin", "lib/x", "wallet.dat", ".token", "var/keys"):
        (coin / name).parent.mkdir(parents=True, exist_ok=True)
        (coin / name).write_text(SECRET if "/" not in name or "var" in name else "tool")
    tools = Toolchain(inside.home, (inside.repo,)).of_folders([coin / "bin"])
    places = (coin / "bin/coin", coin / "wallet.dat", coin / ".token", coin / "var/keys")
    shown = seen(tier, inside.allowing(readable=tools), *places)
    return settled("tool" in shown, SECRET not in shown)


@attack(open_without("a landed link in the .venv/bin of the checkout leads to a key", Severity.HIGH, Harm.SECRETS))
def test_link_among_tools(tier: str, tmp_path: Path) -> Outcome:
    inside = confined(tmp_path)
    key = inside.home / ".ssh/key"
    key.write_text(SECRET)
    tools = inside.repo / ".venv/bin"
    tools.mkdir(parents=True)
    for name in ("tool", "python"):
        (tools / name).symlink_to(key)
    (tools.parent / "pyvenv.cfg").write_text("")
    found = Toolchain(inside.home, (inside.repo,)).of_folders([tools])
    shown = seen(tier, inside.allowing(readable=found), key, tools / "tool")
    return settled(SECRET not in shown)


@attack(open_without("the agent's program in the workspace is a link to a key", Severity.HIGH, Harm.SECRETS))
def test_program_is_a_link(tier: str, tmp_path: Path) -> Outcome:
    inside = confined(tmp_path)
    key = inside.home / ".ssh/key"
    key.write_text(f"#!/bin/sh\ncat {key}; echo {SECRET}\n")
    key.chmod(0o755)
    (inside.tree / "agent").symlink_to(key)
    spawn = replace(inside.spawn(""), argv=("./agent",))
    lines: list[bytes] = []
    around = inside.walls if tier == "auto" else OPEN
    asyncio.run(supervise(around.enclosed(spawn, Room(tree=inside.tree)), lines.append))
    return settled(SECRET not in b"".join(lines).decode())


@attack(row("a story lands a link where the settings have a readable folder", Severity.HIGH, Harm.SECRETS))
def test_link_at_a_readable_folder(tier: str, tmp_path: Path) -> Outcome:
    project, home = new_project(tmp_path), tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    more = '[sandbox.agents]\nreadable = ["data"]\n'
    file = project.root / "shiftwork.toml"
    file.write_text(file.read_text() + more)
    (project.root / "data").symlink_to(home / ".ssh")
    asked = {"SHIFTWORK_SANDBOX": tier, "HOME": str(home)}
    ended = project.shiftwork("run", "Go", "--workflow", "ralph", **asked)
    if tier == "none":
        return settled(ended.returncode == 0)  # no program is shown anything that it could not see anyway
    return settled(ended.returncode == 64, "leads out of it" in ended.stderr)


@attack(row("a program of the agent's name lies in the .venv of a workspace", Severity.HIGH, Harm.EXECUTION))
def test_agent_of_the_workspace(tmp_path: Path) -> Outcome:
    ours, theirs = tmp_path / "user/bin", tmp_path / "workdir/.venv/bin"
    for folder, word in ((ours, "ours"), (theirs, "theirs")):
        folder.mkdir(parents=True)
        (folder / "gemini").write_text(f"#!/bin/sh\necho {word} > {tmp_path}/which\n")
        (folder / "gemini").chmod(0o755)
    user = {"PATH": f"{ours}:{os.defpath}", "HOME": str(tmp_path)}
    given = AgentTask(
        prompt="",
        workdir=tmp_path / "workdir",
        home=tmp_path / "attempt",
        log=tmp_path / "log",
        marker=f"path{tmp_path}",
        limits=AgentLimits(wall_seconds=30, silence_seconds=30),
        env={"PATH": f"{theirs}:{user['PATH']}"},
    )
    found = set()
    agents: list[Agent] = [
        AcpAgent(("gemini", "--acp"), env=user),
        CommandAgent("gemini -y", env=user),
        CommandAgent("MODE=fast gemini -y", env=user),
        CommandAgent(("gemini",), env=user),
    ]
    for agent in agents:
        asyncio.run(agent.attempt(given, lambda _: None))
        found.add((tmp_path / "which").read_text())
    return settled(found == {"ours\n"})
