"""Which red gates of a run without the story's new tests do not count."""

from dataclasses import replace

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import ExcusedGate, Gate, GateReport, GateResult
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.proof.red_excuse import (
    drop_thresholds,
    excuse_as_on_base,
    excuse_coverage,
    names_left_out,
    ran_no_test,
)

SHORT = "FAIL Required test coverage of 100% not reached. Total coverage: 98.00%\n"
LOWERED = 'export PYTEST_ADDOPTS="${PYTEST_ADDOPTS:-} --cov-fail-under=0"\npytest'
TEST, LINT = Gate(name="test", command="pytest"), Gate(name="lint", command="ruff check")


def wants_tests(result: GateResult) -> bool:
    return ran_no_test(result.output, has_tests=True)


def always(_: GateResult) -> bool:
    return True


def ended(output: str = "", *, passed: bool = False, gate: Gate = TEST, exit_code: int | None = 1) -> GateResult:
    return GateResult(
        name=gate.name, passed=passed, seconds=1, output=output, command=gate.command, exit_code=exit_code
    )


def report(*results: GateResult) -> GateReport:
    return GateReport(commit=Commit("c"), results=results)


@pytest.mark.parametrize("output", [SHORT, f"{SHORT}1 failed, 3 passed in 0.1s", "3 passed in 0.1s", ""])
def test_no_threshold_is_turned_off_unless_only_the_coverage_is_too_low(output: str) -> None:
    assert drop_thresholds(report(ended(output)), (TEST,)) == ()


def test_only_the_gate_that_is_short_runs_without_its_threshold() -> None:
    judged = report(ended(passed=True, gate=LINT), ended(f"{SHORT}3 passed in 0.1s"))
    assert drop_thresholds(judged, (LINT, TEST)) == (LINT, replace(TEST, command=LOWERED))


def test_a_verification_step_that_runs_tests_has_its_own_command() -> None:
    step = Verification(id="VS-1", kind=VerificationKind.SHELL, command="pytest")
    gate = Gate(name="US-1 VS-1", command="", step=step)
    (lowered,) = drop_thresholds(report(ended(f"{SHORT}3 passed in 0.1s", gate=gate)), (gate,))
    assert lowered == replace(gate, step=replace(step, command=LOWERED))


def test_the_run_without_the_threshold_decides() -> None:
    judged = report(ended(passed=True, gate=LINT), ended(f"{SHORT}3 passed in 0.1s"))
    lowered = replace(TEST, command=LOWERED)
    green = excuse_coverage(
        judged, report(ended(passed=True, gate=LINT), ended(passed=True, gate=lowered)), (LINT, TEST)
    )
    assert green.passed
    assert [result.command for result in green.results] == [LINT.command, TEST.command]
    reason = "without the story's new tests too little is covered; it passed with the threshold turned off"
    assert green.excused == (ExcusedGate(name="test", reason=reason),)
    failed = ended("1 failed, 2 passed in 0.1s", gate=lowered)
    red = excuse_coverage(judged, report(ended(passed=True, gate=LINT), failed), (LINT, TEST))
    assert (red.red, red.excused) == (("test",), ())
    assert red.results[1].output == failed.output


@pytest.mark.parametrize("output", ["node: bad option: --coverage.enabled=false", f"{SHORT}3 passed in 0.1s"])
def test_a_command_that_does_not_take_what_turns_its_threshold_off_keeps_its_first_result(output: str) -> None:
    judged = report(ended(f"{SHORT}3 passed in 0.1s"))
    red = excuse_coverage(judged, report(ended(output, gate=replace(TEST, command=LOWERED))), (TEST,))
    assert (red.results, red.excused) == (judged.results, ())


def test_a_gate_that_is_red_on_the_base_in_the_same_way_is_excused() -> None:
    none = ended("no tests ran in 0.01s", exit_code=5)
    excused = excuse_as_on_base(report(none), report(none), wants_tests)
    assert excused.passed
    reason = "red without the story's new tests, and on the base in the same way (exit code 5)"
    assert excused.excused == (ExcusedGate(name="test", reason=reason),)


@pytest.mark.parametrize(
    "base",
    [
        ended("1 failed in 0.1s", exit_code=2),
        ended("2 failed in 0.1s"),
        ended("1 failed in 0.1s", passed=True),
        ended("1 failed in 0.1s", gate=LINT),
    ],
)
def test_a_gate_that_ended_otherwise_on_the_base_is_not_excused(base: GateResult) -> None:
    judged = report(ended("1 failed in 0.1s"))
    assert excuse_as_on_base(judged, report(base), always) == judged


def test_a_gate_that_did_not_end_by_itself_is_not_excused() -> None:
    stopped = report(ended("timed out after 60 seconds", exit_code=None))
    assert excuse_as_on_base(stopped, stopped, always) == stopped


def test_a_gate_whose_threshold_stays_says_what_to_do() -> None:
    short = report(ended(f"{SHORT}3 passed in 0.1s"), ended(passed=True, gate=LINT))
    judged = excuse_as_on_base(short, report(), always)
    assert judged.results[0].output.startswith("Without the new tests only the coverage is too low")
    assert "Start the runner in the gate's own command (gates.test in shiftwork.toml)" in judged.results[0].output
    assert judged.red == ("test",)


@pytest.mark.parametrize("output", ["1 failed in 0.1s", "1 failed, 3 passed in 0.1s", "it is not good"])
def test_a_gate_that_fails_on_the_base_is_not_excused(output: str) -> None:
    """Else new tests that repair the code while they run would make a red base green."""
    red = report(ended(output))
    assert excuse_as_on_base(red, red, wants_tests) == red


def test_without_counts_only_a_base_without_tests_wants_them() -> None:
    assert ran_no_test("No tests found", has_tests=False)
    assert not ran_no_test("No tests found", has_tests=True)


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("pytest tests/test_new.py::test_a", True),
        ("cd api && pytest ./tests/test_new.py", True),
        ("python -m unittest tests.test_new.New", True),
        ("python -m unittest tests.test_newer", False),
        ("node --test test.js", True),
        ("npm test", False),
        ("python manage.py test", False),
        ("pytest tests", False),
        ("pytest test_new.py", False),
        ("cd other && pytest tests/test_new.py", False),
    ],
)
def test_a_gate_that_names_a_new_test_is_red_without_it(command: str, *, named: bool) -> None:
    new = ("api/tests/test_new.py", "test.js") if "api" in command else ("tests/test_new.py", "test.js", "test.py")
    assert names_left_out(command, new) is named
