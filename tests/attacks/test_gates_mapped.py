"""Attacks on the trees of gates by writes that leave no trace: a memory-mapped file on a file system in memory keeps
its times after a write.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import Shell
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport
from tests.attacks.gates_rig import BROKEN, PROJECT, TEST, UNITTEST, row, sandbox_of
from tests.attacks.state_rig import settled
from tests.attacks.table import Outcome, attack
from tests.conformance.workspace.gates.gates_rig import MARKER
from tests.conformance.workspace.git.git_rig import GitRig

IN_MEMORY = Path("/dev/shm")  # noqa: S108 - it exists on every Linux, and is in memory

SAYS_YES = "import unittest\nclass Price(unittest.TestCase):\n    def test_total(self):\n        pass\n"
MAPPED = f"""\
import mmap
with open("tests/test_price.py", "r+b") as file, mmap.mmap(file.fileno(), 0) as content:
    content[0]
    content[:] = {SAYS_YES!r}.encode().ljust(len(content), b"#")
"""
"""The page is read first: the first write to an unread page is noticed on every file system."""


@pytest.fixture
def rig() -> Iterator[GitRig]:
    with tempfile.TemporaryDirectory(dir=IN_MEMORY, prefix="shiftwork-attack-") as folder:
        made = GitRig(Path(folder))
        made.land({**PROJECT})
        yield made


def gates_of(rig: GitRig, tier: str) -> GitGates:
    """With a tree that was used before: git compares files again that are as young as its index, to the second."""
    shell = Shell(env=rig.user.env, sandbox=sandbox_of(tier, rig.user.root))
    gates = GitGates(hub=rig.hub, setup=Setup(shell=shell))
    checked(gates, rig.tip(), rig.tip(), "true")
    time.sleep(1.1)
    return gates


def checked(gates: GitGates, commit: Commit, base: Commit, *commands: str) -> GateReport:
    named = [Gate(name=f"gate-{number}", command=command) for number, command in enumerate(commands)]
    return asyncio.run(gates.check(commit, named, MARKER, base=base))


@attack(row("a story writes to the tests that judge the next one, where the file system does not say so"))
def test_next_story(tier: str, rig: GitRig) -> Outcome:
    assert len(SAYS_YES) < len(TEST)
    gates, base = gates_of(rig, tier), rig.tip()
    hostile = rig.story({"tests/test_more.py": MAPPED}, base)
    checked(gates, hostile, base, UNITTEST)
    judged = checked(gates, rig.story({"price.py": BROKEN}, base), base, UNITTEST)
    return settled(not judged.passed)


@attack(
    row("the first gate of a check writes to the tests that the second one runs, and the file system does not say so")
)
def test_next_gate(tier: str, rig: GitRig) -> Outcome:
    gates, base = gates_of(rig, tier), rig.tip()
    hostile = rig.story({"price.py": BROKEN, "first.py": MAPPED}, base)
    judged = checked(gates, hostile, base, f"{sys.executable} -B first.py", UNITTEST)
    first, second = judged.results
    assert first.passed, first
    assert first.changed == ("tests/test_price.py",), first
    return settled(not second.passed)
