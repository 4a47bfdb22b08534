"""Attacks on the proof that only the base can show to be any: by names that no tool's manual lists."""

from pathlib import Path

from tests.attacks.gates_rig import TEST, UNITTEST, played, row
from tests.attacks.table import Outcome, attack
from tests.conformance.programs import bare_pytest


@attack(row("a new module takes the place of an installed plugin of the test runner"))
def test_installed_module(tier: str, tmp_path: Path) -> Outcome:
    """The name is known to nobody but the interpreter, which has it installed."""
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
