"""What a gate opens is measured although an earlier gate of the same check has filled the caches of its language."""

import asyncio
import shutil
import sys
from pathlib import Path
from typing import Final

import pytest

from shiftwork.domain.gates.gate import Gate
from shiftwork.testing.git_user import GitUser
from tests.conformance.workspace.gates.gates_rig import MARKER, Opened, opener

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports what is opened")

PYTHON: Final = {
    "price.py": "def total(items):\n    return sum(items)\n",
    "shop/__init__.py": "",
    "shop/cart.py": "import price\n",
    "test_price.py": "import unittest\nimport shop.cart\n\nclass T(unittest.TestCase):\n    def test(self): pass\n",
}
NODE: Final = {
    "price.js": "exports.total = (items) => items.length;\n",
    "price.test.js": "require('node:assert').equal(require('./price.js').total([1]), 1);\n",
}
GO: Final = {
    "go.mod": "module example.com/shop\n\ngo 1.18\n",
    "price/price.go": "package price\n\nfunc Total(items []int) int { return len(items) }\n",
    "checking/same.go": "package checking\n",
    "price/price_test.go": (
        'package price\n\nimport (\n\t"os"\n\t"testing"\n\n\t_ "example.com/shop/checking"\n)\n\n'
        'func TestTotal(t *testing.T) {\n\tif _, err := os.ReadFile("prices.txt"); err != nil || Total(nil) != 0 {\n'
        "\t\tt.Fatal(err)\n\t}\n}\n"
    ),
    "price/prices.txt": "1\n",
}
RUST: Final = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "shop"\nversion = "1.0.0"\n',
    "src/lib.rs": "pub mod price;\n",
    "src/price.rs": "pub fn total() -> u32 { 0 }\n",
    "tests/common/mod.rs": "pub fn help() {}\n",
    "tests/price.rs": "mod common;\n#[test]\nfn total() { common::help(); assert_eq!(shop::price::total(), 0); }\n",
}


def opened_by(user: GitUser, opened: Opened, tree: dict[str, str], *commands: str) -> list[frozenset[str] | None]:
    """What each of the gates opens, one after the other in one tree."""
    commit = user.commit("shop", {**tree, ".gitignore": "__pycache__/\ntarget/\n"})
    measured: dict[str, frozenset[str] | None] = {}
    gates = [Gate(name=str(place), command=command) for place, command in enumerate(commands)]
    report = asyncio.run(opened("").check(commit, gates, MARKER, on_loaded=measured.__setitem__))
    assert report.passed, [result.output for result in report.results]
    return [measured[gate.name] for gate in gates]


@pytest.fixture
def opened(user: GitUser) -> Opened:
    return opener(user, "none")


def test_python_opens_sources_of_which_it_has_compiled_files(user: GitUser, opened: Opened) -> None:
    command = f"{sys.executable} -m unittest -q test_price"
    assert opened_by(user, opened, PYTHON, command, f"{command}; true") == [frozenset(PYTHON)] * 2
    unchecked = f"{sys.executable} -m compileall -q --invalidation-mode unchecked-hash . && {command}"
    assert opened_by(user, opened, PYTHON, unchecked, command)[1] == frozenset(PYTHON)


def test_compiled_files_that_are_committed_are_left_alone(user: GitUser, opened: Opened) -> None:
    tree = {**PYTHON, "shop/__pycache__/kept.pyc": "x"}
    (found,) = opened_by(user, opened, tree, "cat shop/__pycache__/kept.pyc")
    assert found == frozenset({"shop/__pycache__/kept.pyc"})


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_node_opens_sources_of_which_it_has_compiled_code(user: GitUser, opened: Opened) -> None:
    command = f"NODE_COMPILE_CACHE={user.home}/compiled node price.test.js"
    assert opened_by(user, opened, NODE, command, f"{command}; true") == [frozenset(NODE)] * 2


@pytest.mark.skipif(shutil.which("go") is None, reason="no Go")
def test_go_runs_tests_of_which_it_has_a_result(user: GitUser, opened: Opened) -> None:
    """A kept result says (cached); the sources are read for it, and not what tests read."""
    command = f"GOCACHE={user.home}/go-build go test ./..."
    settled = "touch -d 2026-01-01 price/prices.txt"
    found = opened_by(user, opened, GO, f"{settled}; {command}", f"{settled}; {command} | tee said; ! grep cached said")
    assert found[1] == frozenset(GO)


@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo")
def test_cargo_opens_sources_that_it_has_compiled(user: GitUser, opened: Opened) -> None:
    home, cargo = Path.home(), shutil.which("cargo")
    command = f"RUSTUP_HOME={home}/.rustup CARGO_HOME={home}/.cargo {cargo} test --quiet --offline --tests"
    found = opened_by(user, opened, RUST, command, f"{command}; true")
    assert found[1] == frozenset(RUST) - {"Cargo.lock"} or found[1] == frozenset(RUST)
