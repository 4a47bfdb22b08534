"""The output of the installed test runners for tests that fail, do not load or pass, read by the rules."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from shiftwork.domain.gates.fail_to_pass_result import FailToPassOutcome, NamedTestState
from shiftwork.domain.gates.gate import GateResult
from shiftwork.domain.proof.fail_to_pass import Seen, named_tests, outcome_of
from shiftwork.domain.proof.verdict import Findings, NameFound
from tests.conformance.processes.programs import bare_pytest

NODE = shutil.which("node") or ""
NEEDS_NODE = pytest.mark.skipif(not NODE, reason="there is no node here")


@dataclass(frozen=True, kw_only=True)
class Runner:
    """`asserts` is a test of the name in `name` that fails by itself; `imports` one whose file cannot be loaded."""

    command: str
    file: str
    name: str
    product: tuple[str, str]
    asserts: str
    imports: str
    passes: str


PYTHON = ("price.py", "def total(items):\n    return sum(items)\n")
UNITTEST = "import unittest\n{}\n\n\nclass New(unittest.TestCase):\n    def test_new(self):\n        {}\n"
PYTEST = bare_pytest()
XDIST = bare_pytest("xdist", "xdist.looponfail")
IMPORTS = "import test from 'node:test';\nimport assert from 'node:assert';\n"
SCRIPT = f"{IMPORTS}import {{}} from './price.mjs';\ntest('adds', () => {{{{ {{}} }}}});\n"
RUNNERS = {
    **{
        name: Runner(
            command=command,
            file="test_new.py",
            name="test_new",
            product=PYTHON,
            asserts="import price\n\n\ndef test_new():\n    assert price.discount(10) == 9\n",
            imports="from price import discount\n\n\ndef test_new():\n    assert discount(10) == 9\n",
            passes="import price\n\n\ndef test_new():\n    assert price.total([1, 2]) == 3\n",
        )
        for name, command in (("pytest", f"{PYTEST} -q"), ("pytest -v", f"{PYTEST} -v"), ("xdist", f"{XDIST} -n 1"))
    },
    **{
        name: Runner(
            command=command,
            file="test_new.py",
            name="test_new",
            product=PYTHON,
            asserts=UNITTEST.format("import price", "self.assertEqual(price.total([1]), 2)"),
            imports=UNITTEST.format("from price import discount", "discount(10)"),
            passes=UNITTEST.format("import price", "self.assertEqual(price.total([1]), 1)"),
        )
        for name, command in (
            ("unittest", f"{sys.executable} -m unittest"),
            ("unittest -v", f"{sys.executable} -m unittest -v"),
        )
    },
    **{
        name: Runner(
            command=command,
            file="new.test.mjs",
            name="adds",
            product=("price.mjs", "export const total = (items) => items.length;\n"),
            asserts=SCRIPT.format("* as price", "assert.equal(price.discount(10), 9);"),
            imports=SCRIPT.format("{ discount }", "assert.equal(discount(10), 9);"),
            passes=SCRIPT.format("* as price", "assert.equal(price.total([1]), 1);"),
        )
        for name, command in (
            ("node", f"{NODE} --test"),
            ("node, spec", f"{NODE} --test --test-reporter=spec"),
            ("node, tap", f"{NODE} --test --test-reporter=tap"),
        )
    },
}
ALL = [pytest.param(name, marks=NEEDS_NODE) if name.startswith("node") else name for name in RUNNERS]


def judged(runner: Runner, folder: Path, tests: str) -> tuple[FailToPassOutcome, NamedTestState]:
    (folder / runner.product[0]).write_text(runner.product[1])
    (folder / runner.file).write_text(tests)
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "CI": "1", "PYTHONDONTWRITEBYTECODE": "1"}  # noqa: TID251 - a real program
    ran = subprocess.run(
        ("/bin/sh", "-c", runner.command),
        cwd=folder,
        env=env,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    result = GateResult(name="test", passed=ran.returncode == 0, seconds=1, output=ran.stdout)
    found = Findings(tree="t", names=(NameFound(name=runner.name, files=(runner.file,)),))
    seen = Seen(found=found, changed=frozenset({runner.file}), results=(result,))
    (named,) = named_tests((runner.name,), seen)
    return outcome_of((result,)).outcome, named.state


@pytest.mark.parametrize("name", ALL)
def test_what_a_runner_prints_is_understood(name: str, tmp_path: Path) -> None:
    runner = RUNNERS[name]
    expected = {
        runner.asserts: (FailToPassOutcome.ASSERTION, NamedTestState.RED),
        runner.imports: (FailToPassOutcome.LOADING, NamedTestState.ABSENT),
        runner.passes: (FailToPassOutcome.GREEN, NamedTestState.GREEN),
    }
    assert {tests: judged(runner, tmp_path, tests) for tests in expected} == expected
