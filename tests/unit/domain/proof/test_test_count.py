"""How many tests passed, from the last line of each runner, and what that says about a gate."""

import time

import pytest

from shiftwork.domain.proof.test_count import Tally, contradicts, fewer, tally


@pytest.mark.parametrize(
    ("output", "passed", "failed", "skipped"),
    [
        ("F.\n1 failed, 2 passed, 1 skipped, 3 warnings in 0.12s", 2, 1, 1),
        ("\x1b[32m===== 3 passed in 61.0s (0:01:01) =====\x1b[0m", 3, 0, 0),
        ("2 passed, 1 error in 0.10s", 2, 1, 0),
        ("no tests ran in 0.01s", 0, 0, 0),
        ("Ran 3 tests in 0.001s\n\nOK", 3, 0, 0),
        ("Ran 4 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)", 1, 2, 1),
        ("Tests:       1 failed, 1 skipped, 2 passed, 4 total", 2, 1, 1),
        ("      Tests  1 failed | 2 passed (3)", 2, 1, 0),
        ("  2 passing (3ms)\n  1 pending\n  1 failing", 2, 1, 1),
        ("# tests 4\n# pass 3\n# fail 1\n# skipped 0", 3, 1, 0),
        ("\u2139 pass 3\n\u2139 fail 0", 3, 0, 0),
        ("ok | 3 passed | 0 failed (10ms)", 3, 0, 0),
        (
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n" * 2,
            6,
            0,
            2,
        ),
        ("     Summary [   0.1s] 3 tests run: 2 passed, 1 failed, 0 skipped", 2, 1, 0),
        ("3 examples, 1 failure, 1 pending", 1, 1, 1),
        ("3 runs, 5 assertions, 1 failures, 1 errors, 0 skips", 1, 2, 0),
        ("2 doctests, 3 tests, 1 failure", 4, 1, 0),
        ("67% tests passed, 1 tests failed out of 3", 2, 1, 0),
        ("\t Executed 3 tests, with 1 failure (0 unexpected) in 0.0 (0.0) seconds", 2, 1, 0),
        ("Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 3 ms - a.dll", 3, 0, 1),
        ("[WARNING] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1", 1, 1, 1),
        ("OK (3 tests, 5 assertions)", 3, 0, 0),
        ("Tests: 3, Assertions: 5, Failures: 1, Skipped: 1.", 1, 1, 1),
        (
            "--- PASS: TestA (0.0s)\n    --- PASS: TestA/b (0.0s)\n--- FAIL: TestB (0.0s)\n--- SKIP: TestC (0.0s)",
            1,
            1,
            1,
        ),
        ("Files=1, Tests=3,  0 wallclock secs", 3, 0, 0),
    ],
)
def test_the_last_line_of_each_runner(output: str, passed: int, failed: int, skipped: int) -> None:
    assert tally(f"some words\n{output}\nmore words\n") == Tally(passed=passed, failed=failed, skipped=skipped)


@pytest.mark.parametrize(
    "output", ["", "took 3 minutes", "Lines: 3.", "ok  \texample.org/a\t0.01s", "3 files in 0.1s."]
)
def test_other_lines_count_nothing(output: str) -> None:
    assert tally(output) is None


def test_a_green_gate_is_contradicted_by_its_own_runner() -> None:
    assert contradicts("1 failed in 0.1s", "2 passed in 0.1s") == (
        "the gate passed although its test runner counted 1 failed"
    )
    assert contradicts("nothing", "2 passed in 0.1s").startswith("the gate ended before its test runner")
    assert not contradicts("3 passed in 0.1s", "2 passed in 0.1s")
    assert not contradicts("nothing", "nothing"), "its runner prints no such line"
    assert not contradicts("1 failed in 0.1s", "1 failed in 0.1s"), "the gate allows failures on the base as well"


def test_fewer_tests_are_counted_against_the_base() -> None:
    assert fewer("2 passed in 0.1s", "3 passed in 0.1s") == "2 of 3"
    assert not fewer("4 passed in 0.1s", "3 passed in 0.1s")
    assert not fewer("nothing", "3 passed in 0.1s")
    assert not fewer("1 passed in 0.1s", "nothing")


@pytest.mark.parametrize(
    "piece",
    ["1 a, ", "= ", "a b ", "A: 1, ", "--- PASS: ", "Ran 1 test in 1s\n\n", "Tests  ", " ", "1 passed; ", "Jest: "],
)
def test_reading_takes_time_in_proportion_to_the_length(piece: str) -> None:
    began = time.process_time()
    tally(piece * (200_000 // len(piece)))
    assert time.process_time() - began < 5
