"""The reason why a gate is red, on one line, from the output of test runners."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.entrypoints.cli.logs.gate_reason import reason
from shiftwork.entrypoints.cli.render.sanitize import one_line

PYTEST = """\
============================= test session starts ==============================
collected 3 items

tests/test_cart.py .FF                                                   [100%]

=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total() == 2
E       assert 1 == 2
E        +  where 1 = total()

tests/test_cart.py:4: AssertionError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 1 == 2
========================= 2 failed, 1 passed in 0.12s ==========================
"""
JEST = """\
  ● cart adds up

    expect(received).toBe(expected) // Object.is equality

Tests:       1 failed, 2 passed, 3 total
npm error Lifecycle script `test` failed with error:
npm error code 1
npm error path /tmp/shop
"""
CARGO = """\
thread 'adds' panicked at src/lib.rs:9:9:
assertion `left == right` failed
test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
error: test failed, to rerun pass `--lib`
"""
UNITTEST = """\
Traceback (most recent call last):
  File "test_a.py", line 3, in test_a
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 1 test in 0.000s

FAILED (failures=1)
"""

CASES: dict[str, tuple[str, str]] = {
    "pytest": (PYTEST, "2 failed, 1 passed; assert 1 == 2"),
    "pytest, quietly": ("FFF\n1 failed, 2 errors in 0.1s\n", "1 failed, 2 errors"),
    "pytest without tests": ("===== no tests ran in 0.01s =====\n", "no tests ran"),
    "pytest that cannot import": (
        "____ ERROR collecting test_a.py ____\nE   ModuleNotFoundError: No module named 'cart'\n=== 1 error in 1s ===",
        "1 error; ModuleNotFoundError: No module named 'cart'",
    ),
    "unittest": (UNITTEST, "failures=1; AssertionError: 1 != 2"),
    "jest": (JEST, "1 failed, 2 passed, 3 total"),
    "cargo": (CARGO, "1 passed; 1 failed; thread 'adds' panicked at src/lib.rs:9:9:"),
    "node": ("# pass 1\n# fail 2\n# skipped 0\n", "fail 2"),
    "rspec": ("3 examples, 1 failure\n\nFailed examples:\n", "3 examples, 1 failure"),
    "ruff": ("F401 x\nFound 3 errors.\n[*] 1 fixable\n", "Found 3 errors."),
    "a module that is missing": (
        "/usr/bin/python3: No module named pytest\n",
        "/usr/bin/python3: No module named pytest",
    ),
    "a program that is missing": ("sh: 2: poetry: not found\n", "sh: 2: poetry: not found"),
    "make": ("make: *** No rule to make target 'test'.  Stop.\n", "make: *** No rule to make target 'test'. Stop."),
    "what make adds": ("it does not hold\nmake: *** [Makefile:2: test] Error 1\n", "it does not hold"),
    "only what make adds": ("make: *** [Makefile:2: test] Error 1\n", "make: *** [Makefile:2: test] Error 1"),
    "go": ("--- FAIL: TestTotal (0.00s)\n    cart_test.go:9: 1\nFAIL\n", "--- FAIL: TestTotal (0.00s)"),
    "nothing known": ("one\ntwo\n\n", "two"),
    "nothing": ("", "it printed nothing"),
    "colours": ("\x1b[31mError: broken\x1b[0m\n", "Error: broken"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_most_informative_lines_are_chosen(case: str) -> None:
    output, line = CASES[case]
    assert reason(output) == line


@given(st.text())
def test_any_output_is_one_line_that_says_something(output: str) -> None:
    line = reason(output)
    assert line
    assert line == one_line(line, 120)
