"""The line that says why a gate failed, from what real tools print: `gate_outputs/*.txt`."""

from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.app.views.text.failure_line import failure_line

FOLDER: Final = Path(__file__).parent / "gate_outputs"
TEST: Final = "test_parcel.py::test_state - AssertionError: assert {'state': 'sent'} == {'state': 'returned'}"
TYPES: Final = "ts/parcel.ts(2,3): error TS2322: Type 'number' is not assignable to type 'string'."
EXPECTED: Final = {
    "cargo": "assertion `left == right` failed, left: 3, right: 2",
    "cargo_build": "error[E0308]: mismatched types",
    "eslint": "2:14 error 'console' is not defined no-undef",
    "go_build": "./parcel.go:4:9: cannot use days + 2 (value of type int) as string value in return statement",
    "go_test": "parcel_test.go:7: Arrival(1) = 3, want 2",
    "jest": "Expected: 2, Received: 3",
    "make": "two.txt: line 3: expected sent, got returned",
    "mocha": "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 3 !== 2",
    "mypy": 'parcel.py:5: error: Incompatible return value type (got "int", expected "str") [return-value]',
    "node_test": "expected: 2, actual: 3",
    "npm_jest": "Expected: 2, Received: 3",
    "npm_missing": 'npm error Missing script: "test"',
    "npm_tsc": TYPES,
    "phpunit": "Failed asserting that 3 matches expected 2.",
    "pytest": TEST,
    "pytest_collection": "ModuleNotFoundError: No module named 'nowhere'",
    "pytest_quiet": TEST,
    "rspec": "expected: 2, got: 3",
    "ruff": "F401 [*] `os` imported but unused",
    "shell": "grep: parcel.txt: No such file or directory",
    "tsc": TYPES,
    "unittest": "AssertionError: 3 != 2",
    "vitest": "AssertionError: expected 3 to be 2 // Object.is equality",
}


@pytest.mark.parametrize("tool", EXPECTED)
def test_the_last_assertion_or_error_is_chosen(tool: str) -> None:
    assert failure_line((FOLDER / f"{tool}.txt").read_text(encoding="utf-8")) == EXPECTED[tool]


def test_each_recorded_output_is_compared() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(EXPECTED)


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("", "it printed nothing"),
        ("checking\n\ntwo.txt is bad\n=====\n", "two.txt is bad"),
        ("======\n-----\n", "-----"),
        ("checking\nmake: *** [Makefile:2: test] Error 1\n", "checking"),
        ("\x1b[31mError: broken\x1b[0m\r\n1 failed\n", "Error: broken"),
        ("thread 'main' panicked at src/lib.rs:9:9:\n", "thread 'main' panicked at src/lib.rs:9:9:"),
        ("thread 'main' panicked at src/lib.rs:9:9:\nno parcel\n", "no parcel"),
        ("  error: 'no parcel'\n  code: 'ERR'\n", "no parcel"),
        ("AssertionError: they differ:\n", "AssertionError: they differ:"),
        ("gate lint failed:\nfine\n[… 12 lines left out …]\n", "fine"),
    ],
    ids=["nothing", "unknown", "separators", "make", "colours", "panic", "message", "tap", "colon", "trimmed"],
)
def test_what_is_no_assertion_and_no_error_is_passed_over(output: str, line: str) -> None:
    assert failure_line(output) == line


@given(st.text())
def test_any_output_gives_one_line(output: str) -> None:
    line = failure_line(output)
    assert line
    assert "\n" not in line
