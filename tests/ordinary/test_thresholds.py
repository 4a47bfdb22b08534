"""Thresholds for coverage, with real runners: a run that is red for its coverage alone is green with these turned off.

Each command runs three times: with too little coverage, without its threshold, and so with a test that fails.
"""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.proof.red_excuse import drop_thresholds, excuse_as_on_base, excuse_coverage
from shiftwork.records import replace
from tests.ordinary.agent import write
from tests.ordinary.runner_packages import node_environment, python_environment
from tests.patience import SECONDS

pytestmark = [pytest.mark.ordinary, pytest.mark.slow, pytest.mark.timeout(1800)]

type Files = Mapping[str, str]

# What is run ------------------------------------------------------------------------------------------------------


def run_gate(tree: Path, gate: Gate, env: Mapping[str, str]) -> GateResult:
    done = subprocess.run(
        ["sh", "-c", f"exec 2>&1\n{gate.command}"],
        cwd=tree,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return GateResult(
        name=gate.name,
        passed=done.returncode == 0,
        seconds=1,
        output=done.stdout,
        command=gate.command,
        exit_code=done.returncode,
    )


def lower(gate: Gate, result: GateResult) -> Gate | None:
    """The gate without its threshold; None where that cannot be turned off."""
    dropped = drop_thresholds(GateReport(commit=Commit("c"), results=(result,)), (gate,))
    return dropped[0] if dropped else None


def check_command(tree: Path, command: str, env: Mapping[str, str], failing: Files) -> None:
    gate = Gate(name="test", command=command)
    short = run_gate(tree, gate, env)
    assert not short.passed, f"{command} is green with too little coverage:\n{short.output}"
    lowered = lower(gate, short)
    assert lowered, f"{command} is not known to be short of coverage:\n{short.output}"
    green = run_gate(tree, lowered, env)
    assert green.passed, f"{lowered.command}\n{green.output}"
    kept = {path: (tree / path).read_text() for path in failing}
    _write_all(tree, failing)
    red = run_gate(tree, lowered, env)
    _write_all(tree, kept)
    assert not red.passed, f"{lowered.command} is green with a test that fails:\n{red.output}"


def check_advice(tree: Path, command: str, env: Mapping[str, str]) -> None:
    """A threshold that stays: the gate is red, and says what to do."""
    gate = Gate(name="test", command=command)
    short = run_gate(tree, gate, env)
    assert not short.passed, short.output
    judged = GateReport(commit=Commit("c"), results=(short,))
    if lowered := lower(gate, short):
        again = run_gate(tree, lowered, env)
        judged = excuse_coverage(judged, replace(judged, results=(again,)), (gate,))
        assert not judged.passed, f"{lowered.command} turns the threshold off:\n{again.output}"
    (last,) = excuse_as_on_base(judged, GateReport(commit=Commit("b")), lambda _: True).results
    assert last.output.startswith("Without the new tests only the coverage is too low"), last.output


def _write_all(tree: Path, files: Files) -> None:
    for path, text in files.items():
        write(tree / path, text)


# Python -----------------------------------------------------------------------------------------------------------

_PRICE: Final = "def total(items):\n    return sum(items)\n\n\ndef count(items):\n    return len(items)\n"
_PYTHON_TEST: Final = "from price import total\n\n\ndef test_total():\n    assert total([1, 2]) == {}\n"
_PYTHON_FILES: Final = {"price.py": _PRICE, "test_price.py": _PYTHON_TEST.format(3)}
_PYTHON_FAILING: Final = {"test_price.py": _PYTHON_TEST.format(4)}
_COVERAGE: Final = "coverage run --include=price.py -m pytest -q"


@pytest.mark.parametrize(
    ("command", "settings"),
    [
        ("python -m pytest -q --cov=price --cov-fail-under=100", {}),
        ("pytest -q", {"pytest.ini": "[pytest]\naddopts = --cov=price --cov-fail-under=100\n"}),
        ("pytest --cov=price", {".coveragerc": "[report]\nfail_under = 100\n"}),
        (
            "make -s test",
            {"Makefile": "test:\n\tpytest -q --cov=price\n", ".coveragerc": "[report]\nfail_under = 100\n"},
        ),
        (f"{_COVERAGE} && coverage report --fail-under=100", {}),
        (f"{_COVERAGE} && coverage report -m", {".coveragerc": "[report]\nfail_under = 100\n"}),
        (f"{_COVERAGE} && python -m coverage xml", {"pyproject.toml": "[tool.coverage.report]\nfail_under = 100\n"}),
    ],
)
def test_python(tmp_path: Path, command: str, settings: Files) -> None:
    _write_all(tmp_path, {**_PYTHON_FILES, **settings})
    check_command(tmp_path, command, python_environment(), _PYTHON_FAILING)


@pytest.mark.parametrize(
    "recipe", ["pytest -q --cov=price --cov-fail-under=100", f"{_COVERAGE} && coverage report --fail-under=100"]
)
def test_a_threshold_in_a_makefile(tmp_path: Path, recipe: str) -> None:
    _write_all(tmp_path, {**_PYTHON_FILES, "Makefile": f"test:\n\t{recipe}\n"})
    check_advice(tmp_path, "make -s test", python_environment())


# JavaScript -------------------------------------------------------------------------------------------------------

_COMMON: Final = (
    "exports.total = (items) => items.reduce((a, b) => a + b, 0);\nexports.count = (items) => items.length;\n"
)
_NODE_FILES: Final = {
    "price.js": _COMMON,
    "test/price.jest.js": (
        'const { total } = require("../price.js");\ntest("total", () => expect(total([1, 2])).toBe(3));\n'
    ),
    "test/price.vitest.mjs": (
        'import { expect, test } from "vitest";\nimport { total } from "../price.js";\n'
        'test("total", () => expect(total([1, 2])).toBe(3));\n'
    ),
    "test/price.mocha.js": (
        'const { total } = require("../price.js");\n'
        'it("total", () => require("node:assert").equal(total([1, 2]), 3));\n'
    ),
    "test/price.node.js": (
        'const { total } = require("../price.js");\n'
        'require("node:test")("total", () => require("node:assert").equal(total([1, 2]), 3));\n'
    ),
}
_NODE_FAILING: Final = {
    path: text.replace("toBe(3)", "toBe(4)").replace("]), 3)", "]), 4)")
    for path, text in _NODE_FILES.items()
    if path.startswith("test/")
}
_JEST: Final = {"testMatch": ["**/*.jest.js"], "collectCoverage": True, "collectCoverageFrom": ["price.js"]}
_LIMITED_JEST: Final = {**_JEST, "coverageThreshold": {"global": {"functions": 100}}}
_VITEST: Final = (
    'export default {{ test: {{ include: ["test/*.vitest.mjs"], '
    'coverage: {{ enabled: true, provider: "v8", include: ["price.js"], thresholds: {{ {} }} }} }} }};\n'
)


def manifest(**more: object) -> Files:
    return {"package.json": json.dumps({"name": "shop", "version": "1.0.0", "private": True, **more})}


@pytest.mark.parametrize(
    ("command", "settings"),
    [
        ("npx jest", manifest(jest=_LIMITED_JEST)),
        ("npm test --silent", manifest(jest=_LIMITED_JEST, scripts={"test": "jest"})),
        ("""npx jest --coverageThreshold='{"global":{"functions":100}}' --ci""", manifest(jest=_JEST)),
        ("npx vitest run", {"vitest.config.mjs": _VITEST.format("functions: 100")}),
        ("npx vitest run", {"vitest.config.mjs": _VITEST.format("100: true")}),
        ("npx vitest run", {"vitest.config.mjs": _VITEST.format('"price.js": { functions: 100 }')}),
        ("npx vitest run --coverage --coverage.thresholds.functions=100", {"vitest.config.mjs": _VITEST.format("")}),
        (
            "npm test --silent",
            {
                **manifest(scripts={"test": "vitest run --coverage"}),
                "vitest.config.mjs": _VITEST.format("functions: 100"),
            },
        ),
        ("npx nyc --check-coverage --functions 100 mocha test/price.mocha.js", manifest()),
        (
            "npx nyc mocha test/price.mocha.js",
            manifest(nyc={"check-coverage": True, "functions": 100, "include": ["price.js"]}),
        ),
        ("npx c8 --check-coverage --functions 100 node --test test/price.node.js", manifest()),
        (
            "npx c8 node --test test/price.node.js",
            {".c8rc.json": '{"check-coverage": true, "functions": 100, "include": ["price.js"]}'},
        ),
    ],
)
def test_javascript(tmp_path: Path, command: str, settings: Files) -> None:
    _write_all(tmp_path, {**_NODE_FILES, **settings})
    check_command(tmp_path, command, node_environment(tmp_path), _NODE_FAILING)


@pytest.mark.parametrize(
    ("command", "settings"),
    [
        ("make -s test", {**manifest(jest=_LIMITED_JEST), "Makefile": ".PHONY: test\ntest:\n\tnpx jest\n"}),
        (
            "npm test --silent",
            manifest(scripts={"test": "nyc --check-coverage --functions 100 mocha test/price.mocha.js"}),
        ),
        (
            "npm test --silent",
            manifest(scripts={"test": "c8 --check-coverage --functions 100 node --test test/price.node.js"}),
        ),
        (
            "npm test --silent",
            {
                **manifest(scripts={"test": "vitest run --coverage.enabled"}),
                "vitest.config.mjs": _VITEST.format("functions: 100"),
            },
        ),
    ],
)
def test_a_threshold_behind_a_script(tmp_path: Path, command: str, settings: Files) -> None:
    _write_all(tmp_path, {**_NODE_FILES, **settings})
    check_advice(tmp_path, command, node_environment(tmp_path))
