"""What attacks on the kernel's side of the sandbox share: a program that is run with and without a sandbox."""

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path

from shiftwork.adapters.processes.supervisor.spawn import Bounds
from shiftwork.adapters.sandbox.toolchain import Toolchain
from shiftwork.adapters.workspace.tree.shell import CommandContext, Shell
from shiftwork.adapters.workspace.tree.shell import Outcome as Ended
from tests.attacks.table import Attack, Harm, Outcome, Severity
from tests.conformance.sandbox.sandbox_rig import confined

CALL = """\
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)

def call(*words):
    ctypes.set_errno(0)
    given = [ctypes.c_long(word) if isinstance(word, int) else word for word in words]
    return libc.syscall(*given), ctypes.get_errno()

"""
"""The beginning of a program that calls the kernel without the C library's help."""

ARM = "aarch64"


def row(name: str, severity: Severity, harm: Harm, none: Outcome, seen: int | None = None) -> Attack:
    return Attack(name=name, layer="kernel", severity=severity, harm=harm, none=none, seen=seen)


def ran(tier: str, folder: Path, script: str, bounds: Bounds | None = None) -> Ended:
    """A Python script, run as a gate is run; with the network of the machine, which is the least that a sandbox has."""
    inside = confined(folder)
    (inside.tree / "attack.py").write_text(f"print('began', flush=True)\n{script}")
    python = os.path.realpath(sys.executable)
    tools = Toolchain(inside.home, (inside.repo,)).of_file(Path(python))
    walls = {"sandbox": replace(inside.walls, readable=tools, bounds=bounds, judging=True)} if tier == "auto" else {}
    shell = Shell(env=inside.env, **walls)
    context = CommandContext(marker=inside.marker)
    ended = asyncio.run(shell.run(f"{python} -I -S attack.py", context, tree=inside.tree, seconds=60))
    assert "began" in ended.output, ended
    return ended


def seen_in(ended: Ended, word: str) -> Outcome:
    """The attack says so where it succeeds, and ends well where it does not."""
    return Outcome.SUCCEEDED if word in ended.output else Outcome.PREVENTED
