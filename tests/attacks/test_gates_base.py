"""Attacks on the proof that file names do not show: by files used as checks, by the code itself, by dependencies."""

from pathlib import Path

from tests.attacks.gates_rig import (
    BROKEN,
    GOOD,
    PROJECT,
    PYTEST,
    TEST,
    UNITTEST,
    attempted,
    played,
    rig_of,
    row,
)
from tests.attacks.table import Outcome, Severity, attack
from tests.conformance.processes.programs import bare_pytest


@attack(row("a new module takes the place of an installed plugin of the test runner"))
def test_installed_module(tier: str, tmp_path: Path) -> Outcome:
    """Only the interpreter, which has it installed, knows the name."""
    plugin = {"_hypothesis_pytestplugin.py": "import price\nprice.total = sum\n"}
    return played(tmp_path, tier, plugin, gate=f"{bare_pytest('hypothesispytest')} -q")


@attack(row("a file that the Makefile includes says yes"))
def test_included(tier: str, tmp_path: Path) -> Outcome:
    return played(
        tmp_path,
        tier,
        {"build/rules": "CHECK = python3 price.py\n"},
        base={"Makefile": "include build/rules\n\ntest:\n\t$(CHECK)\n", "build/rules": f"CHECK = {UNITTEST}\n"},
        gate="make -s test",
    )


@attack(row("a new file takes the place of one that the Makefile includes where it is there"))
def test_optional_include(tier: str, tmp_path: Path) -> Outcome:
    makefile = f"CHECK = {UNITTEST}\n-include local\n\ntest:\n\t$(CHECK)\n"
    return played(
        tmp_path, tier, {"local": "CHECK = python3 price.py\n"}, base={"Makefile": makefile}, gate="make -s test"
    )


@attack(row("a script that the Makefile starts, and that starts the tests, says yes"))
def test_script_in_turn(tier: str, tmp_path: Path) -> Outcome:
    base = {
        "Makefile": "test:\n\tsh ci/all.sh\n",
        "ci/all.sh": "sh ci/unit.sh\n",
        "ci/unit.sh": f"{UNITTEST}\n",
    }
    return played(tmp_path, tier, {"ci/unit.sh": "python3 price.py\n"}, base=base, gate="make -s test")


@attack(row("a test is weakened whose name only the runner takes for that of a test"))
def test_runner_s_own_names(tier: str, tmp_path: Path) -> Outcome:
    weak = TEST.replace("== 3", "is not None")
    gate = f"{UNITTEST.partition(' discover')[0]} discover -p '*checks.py'"
    return played(tmp_path, tier, {"pricechecks.py": weak}, base={"pricechecks.py": TEST}, gate=gate)


# The code and its dependencies --------------------------------------------------------------------------------


@attack(row("the code changes the test runner that judges it", seen=11))
def test_patched_runner(tier: str, tmp_path: Path) -> Outcome:
    patching = "import _pytest.unittest\n\n_pytest.unittest.TestCaseFunction.runtest = lambda self: None\n"
    return played(tmp_path, tier, {"price.py": f"{patching}{BROKEN}"}, gate=PYTEST)


@attack(row("the code replaces a function of the assertion library"))
def test_patched_assertions(tier: str, tmp_path: Path) -> Outcome:
    lax = "const assert = require('node:assert');\nassert.strictEqual = () => {};\nmodule.exports = () => 0;\n"
    base = {
        "total.js": "module.exports = (items) => items.reduce((a, b) => a + b);\n",
        "test.js": "const t = require('./total.js');\nrequire('node:assert').strictEqual(t([1, 2]), 3);\n",
    }
    return played(tmp_path, tier, {"total.js": lax}, base=base, gate="node test.js")


INSTALL = "rm -rf installed; cp -r $(sed -n 's/^-e //p' requirements.txt) installed"
"""What a package manager does with a package that is a folder."""

CHECKED = {
    "requirements.txt": "-e good\n",
    "good/checker.py": "def same(a, b):\n    assert a == b\n",
    "tests/test_price.py": TEST.replace("assert total([1, 2]) == 3", "__import__('checker').same(total([1, 2]), 3)"),
    ".gitignore": "__pycache__/\ninstalled/\n",
}
INSTALLED = f"PYTHONPATH=installed {UNITTEST}"


@attack(row("a dependency file takes a package that tests use from a folder of the tree", seen=13))
def test_redirected_dependency(tier: str, tmp_path: Path) -> Outcome:
    lax = {"requirements.txt": "-e other\n", "other/checker.py": "def same(a, b):\n    pass\n"}
    rig = rig_of(tmp_path, tier, {**PROJECT, **CHECKED})
    rig.setup = INSTALL
    attempt = attempted(rig, {"price.py": BROKEN, **lax}, INSTALLED)
    assert "requirements.txt takes a package from a folder, an address or another index: -e other" in attempt.why
    return attempt.outcome()


@attack(row("a dependency file asks for another version", Severity.MEDIUM, comes_to=Outcome.REPORTED))
def test_changed_dependency(tier: str, tmp_path: Path) -> Outcome:
    """That may be the task: what is installed then is the registry's, and the gates have run with it."""
    rig = rig_of(tmp_path, tier, {**PROJECT, "requirements.txt": "left==1\n"})
    changed = {"price.py": f"{GOOD}\n", "requirements.txt": "left==2\n"}
    return attempted(rig, changed).outcome("1 dependency or lock file (requirements.txt)")
