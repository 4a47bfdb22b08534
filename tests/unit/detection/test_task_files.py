"""A project's own names for its checks: Makefile targets, justfile recipes, and what `check` adds to them."""

from pathlib import Path

import pytest

from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.gates.test_gate import is_test_gate
from tests.unit.detection.rig import found_in, gates_of

TEST = "test:\n\tpytest\n"
BOTH = {"test": "make test", "check": "make check"}

MAKE: dict[str, tuple[str, dict[str, str]]] = {
    "plain": (
        ".PHONY: test\ntest: x\n\ttrue\nlint:\n\truff\nCHECK := 1\ncheck = 2\n",
        {"lint": "make lint", "test": "make test"},
    ),
    "other words for the same": (
        "tests:\n\ttrue\ntype-check:\n\tmypy\n",
        {"test": "make tests", "typecheck": "make type-check"},
    ),
    "only check": ("check:\n\tpytest\n", {"check": "make check"}),
    "check is test": (f"{TEST}check: test\n", {"test": "make test"}),
    "check is lint, which is a gate": (
        f"{TEST}lint:\n\truff\ncheck: lint\n",
        {"lint": "make lint", "test": "make test"},
    ),
    "check is lint and test, which are gates": (
        f"{TEST}lint:\n\truff\ncheck: lint test\n",
        {"lint": "make lint", "test": "make test"},
    ),
    "check lints by itself": (f"{TEST}check:\n\truff check .\n", BOTH),
    "check lints under another name": (f"{TEST}style:\n\truff\ncheck: style\n", BOTH),
    "check lints and tests": (f"{TEST}style:\n\truff\ncheck: style test\n", BOTH),
    "check calls make": (f"{TEST}check:\n\t$(MAKE) --no-print-directory test\n", {"test": "make test"}),
    "check calls make for more": (f"{TEST}style:\n\truff\ncheck:\n\tmake test && ${{MAKE}} style\n", BOTH),
    "check says the same in its own lines": (f"{TEST}check:\n\t@pytest\n", {"test": "make test"}),
    "check on the line of its target": (f"{TEST}check: ; ruff check .\n", BOTH),
    "check over two lines": (f"{TEST}check: test \\\n  style\nstyle:\n\truff\n", BOTH),
    "check needs what is not in this file": (f"{TEST}check: style\ninclude style.mk\n", BOTH),
    "two targets of one rule": ("check test:\n\tpytest\n", {"test": "make test"}),
    "check adds nothing twice": (f"{TEST}check: test\ncheck: test\n", {"test": "make test"}),
    "a circle": ("test: check\n\tpytest\ncheck: test\n", {"test": "make test"}),
}


@pytest.mark.parametrize("case", MAKE)
def test_targets_of_a_makefile_are_gates(tmp_path: Path, case: str) -> None:
    text, gates = MAKE[case]
    assert gates_of(found_in(tmp_path, {"Makefile": text})) == gates


JUST: dict[str, tuple[str, dict[str, str]]] = {
    "plain": (
        "set x := 'y'\n@test *args:\n  pytest\ncheck: test\nlint a='b':\n  ruff\n",
        {"lint": "just lint", "test": "just test"},
    ),
    "check does more": (
        "test:\n    pytest\ncheck: style test\nstyle:\n    ruff\n",
        {"test": "just test", "check": "just check"},
    ),
    "check with arguments and what comes after": (
        'test arg="x":\n  pytest\n# all of it\ncheck: (test "y") && style # and more\nstyle:\n  ruff\n',
        {"test": "just test", "check": "just check"},
    ),
}


@pytest.mark.parametrize("case", JUST)
def test_recipes_of_a_justfile_are_gates(tmp_path: Path, case: str) -> None:
    text, gates = JUST[case]
    assert gates_of(found_in(tmp_path, {"justfile": text})) == gates


@pytest.mark.parametrize(
    ("lines", "tests"),
    [("\truff check .\n", False), ("\truff check . && pytest\n", True), ("\t$(MAKE) test\n\truff\n", True)],
)
def test_a_check_that_runs_no_tests_is_no_gate_of_tests(tmp_path: Path, *, lines: str, tests: bool) -> None:
    found = found_in(tmp_path, {"Makefile": f"test:\n\t./all-of-it\ncheck:\n{lines}"})
    check = next(gate for gate in found.gates if gate.name == "check")
    assert is_test_gate(Gate(name=check.name, command=check.command, kind=check.kind)) is tests


def test_a_justfile_is_preferred_to_a_makefile(tmp_path: Path) -> None:
    files = {"justfile": "test:\n  true\n", "Makefile": "test:\n\ttrue\nlint:\n\truff\n"}
    assert gates_of(found_in(tmp_path, files)) == {"test": "just test", "lint": "make lint"}


def test_with_an_own_word_for_tests_no_other_gate_is_guessed_but_the_environment_is(tmp_path: Path) -> None:
    manifest = '[build-system]\n[project.optional-dependencies]\ntest = ["pytest", "ruff"]\n'
    found = found_in(tmp_path, {"Makefile": "test:\n\tpytest\n", "pyproject.toml": manifest, "go.mod": ""})
    assert gates_of(found) == {"test": "make test"}
    assert found.setup == "python3 -m venv .venv && .venv/bin/python -m pip install -q -e '.[test]'"


def test_an_own_word_is_preferred_to_the_language_s(tmp_path: Path) -> None:
    gates = gates_of(found_in(tmp_path, {"Makefile": "lint:\n\ttrue\n", "go.mod": ""}))
    assert gates == {"lint": "make lint", "test": "go test ./...", "build": "go build ./..."}


def test_a_check_without_tests_leaves_those_of_the_language(tmp_path: Path) -> None:
    gates = gates_of(found_in(tmp_path, {"Makefile": "check:\n\tgo vet ./...\n", "go.mod": ""}))
    assert gates["check"] == "make check"
    assert gates["test"] == "go test ./..."
