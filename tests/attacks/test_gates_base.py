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
    measured,
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


PLUGIN = "import pytest\n\n\n@pytest.fixture\ndef basket():\n    return [1, 2]\n"
WITH_PLUGIN = {
    "pytest.ini": "[pytest]\npythonpath = .\naddopts = -p shop_fixtures\n",
    "shop_fixtures.py": PLUGIN,
    "tests/test_price.py": "from price import total\n\n\ndef test_total(basket):\n    assert total(basket) == 3\n",
}
REPAIRING = "\nimport price\n\nprice.total = sum\n"


@attack(row("a plugin that the settings of the test runner name repairs the code", seen=30))
def test_named_plugin(tier: str, tmp_path: Path) -> Outcome:
    return played(tmp_path, tier, {"shop_fixtures.py": f"{PLUGIN}{REPAIRING}"}, base=WITH_PLUGIN, gate=PYTEST)


@attack(row("a new package takes the place of a plugin that the settings of the test runner name"))
def test_replaced_plugin(tier: str, tmp_path: Path) -> Outcome:
    package = {"shop_fixtures/__init__.py": f"{PLUGIN}{REPAIRING}"}
    return played(tmp_path, tier, package, base=WITH_PLUGIN, gate=PYTEST)


@attack(row("a helper that only tests import no longer asserts"))
def test_test_helper(tier: str, tmp_path: Path) -> Outcome:
    base = {
        "support/__init__.py": "",
        "support/checks.py": "def same(a, b):\n    assert a == b\n",
        "tests/test_price.py": TEST.replace("assert total([1, 2]) == 3", "same(total([1, 2]), 3)").replace(
            "from price import total\n", "from price import total\nfrom support.checks import same\n"
        ),
    }
    return played(tmp_path, tier, {"support/checks.py": "def same(a, b):\n    return a\n"}, base=base)


@attack(row("a helper that lies beside the product no longer asserts", Severity.MEDIUM, comes_to=Outcome.REPORTED))
def test_helper_beside_the_product(tier: str, tmp_path: Path) -> Outcome:
    """It may be product: nothing but what tests load and import says otherwise."""
    base = {
        "checking.py": "def same(a, b):\n    assert a == b\n",
        "tests/test_price.py": TEST.replace("assert total([1, 2]) == 3", "same(total([1, 2]), 3)").replace(
            "from price import total\n", "from checking import same\nfrom price import total\n"
        ),
    }
    rig = rig_of(tmp_path, tier, {**PROJECT, **base})
    measured(rig, UNITTEST)
    changed = {"price.py": BROKEN, "checking.py": "def same(a, b):\n    return a\n"}
    return attempted(rig, changed).outcome("loaded by tests and named by no product code (checking.py")


@attack(row("a set-up file that the settings of a JavaScript runner name repairs the code"))
def test_named_setup_file(tier: str, tmp_path: Path) -> Outcome:
    """What jest does with `setupFiles`, by a program of the same kind."""
    runner = (
        "const { setupFiles } = require('./jest.config.js');\n"
        "setupFiles.forEach((file) => require(file.replace('<rootDir>', __dirname)));\nrequire('./total.test.js');\n"
    )
    base = {
        "node_modules/runner.js": runner.replace("'./", "'../").replace("__dirname", "__dirname + '/..'"),
        "jest.config.js": "module.exports = { setupFiles: ['<rootDir>/tools/setup.js'] };\n",
        "tools/setup.js": "",
        "total.js": "exports.total = (items) => items.reduce((a, b) => a + b);\n",
        "total.test.js": "require('node:assert').strictEqual(require('./total.js').total([1, 2]), 3);\n",
    }
    changed = {
        "total.js": "exports.total = () => 0;\n",
        "tools/setup.js": "require('../total.js').total = () => 3;\n",
    }
    return played(tmp_path, tier, changed, base=base, gate="node node_modules/runner.js")


@attack(row("a new test repairs the code that the base already fails with", seen=34))
def test_red_base(tier: str, tmp_path: Path) -> Outcome:
    """Without the new test the gate is red as on the base: the excuse is for gates that find no tests there."""
    repairing = {"tests/test_first.py": "import price\n\nprice.total = sum\n", "price.py": f"{BROKEN}# seen\n"}
    return played(tmp_path, tier, repairing, base={"price.py": BROKEN})


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
