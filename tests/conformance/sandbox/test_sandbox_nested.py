"""Agents' own sandboxes, started within ours: our filter and keyrings leave them what they need."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.adapters.processes.supervisor.spawn import Exit, Spawn
from shiftwork.adapters.processes.supervisor.supervise import supervise
from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.adapters.sandbox.sandbox import Room
from tests.conformance.sandbox.sandbox_rig import BWRAP, NEEDS_BUBBLEWRAP

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.timeout(120), NEEDS_BUBBLEWRAP]

HOME = Path("/home/ada")
UNPRIVILEGED = 65534
OWN_FLAGS = "--new-session --die-with-parent --unshare-user --unshare-pid --unshare-net --ro-bind / / --dev /dev"
"""As Claude Code's sandbox has them."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user may enter: root cannot make a sandbox within a sandbox, so a user does."""
    with tempfile.TemporaryDirectory(prefix="shiftwork-nested-") as made:
        place = Path(made)
        for name in ("tree", "house", "repo"):
            (place / name).mkdir()
        program = place / "bwrap"
        drop = f"setpriv --reuid={UNPRIVILEGED} --regid={UNPRIVILEGED} --clear-groups" if os.geteuid() == 0 else ""
        program.write_text(f'#!/bin/sh\nexec {drop} {BWRAP} "$@"\n')
        program.chmod(0o755)
        if os.geteuid() == 0:
            for path in (place, place / "tree", place / "house", place / "repo"):
                os.chown(path, UNPRIVILEGED, UNPRIVILEGED)
        yield place


def ran(folder: Path, command: str, *programs: str) -> tuple[Exit, str]:
    walls = Bubblewrap(program=str(folder / "bwrap"), home=HOME, repository=folder / "repo")
    spawn = Spawn(
        argv=("/bin/sh", "-c", f"exec 2>&1\n{command}"),
        cwd=folder / "tree",
        env={"PATH": os.defpath, "HOME": str(HOME), "CODEX_HOME": str(HOME)},
        marker=f"nested{folder}",
        wall_seconds=60,
        silence_seconds=60,
    )
    room = Room(tree=folder / "tree", house=folder / "house", programs=programs)
    lines: list[bytes] = []
    over = asyncio.run(supervise(walls.enclosed(spawn, room), lines.append))
    return over, b"\n".join(lines).decode() + over.stderr


def test_a_bubblewrap_starts_within(folder: Path) -> None:
    over, output = ran(folder, f"{shutil.which('bwrap')} {OWN_FLAGS} sh -c 'grep Seccomp: /proc/self/status; echo in'")
    assert (over.code, output.splitlines()) == (0, ["Seccomp:\t2", "in"])


@pytest.mark.real_agent
def test_the_sandbox_of_codex_starts_within(folder: Path, codex_program: Path) -> None:
    words = "sandbox -- sh -c 'echo in; touch /usr/x || echo closed'"
    over, output = ran(folder, f"{codex_program} {words}", str(codex_program))
    assert over.code == 0, output
    assert output.splitlines()[-3::2] == ["in", "closed"], output
