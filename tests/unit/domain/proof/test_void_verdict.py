"""What speaks against a green gate, given how it ended on the base."""

from dataclasses import replace

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.proof.void_verdict import fewer_shown, held_against, is_uncertain, objected

GREEN = GateResult(name="test", command="pytest", passed=True, seconds=1.0, output="3 passed in 0.1s")


def judged(result: GateResult, base: GateResult = GREEN) -> GateResult:
    (found,) = held_against(GateReport(commit=Commit("c"), results=(result,)), (base,)).results
    return found


def test_a_file_that_changed_while_the_gate_ran_makes_its_verdict_void() -> None:
    wrote = replace(GREEN, changed=("price.py", "made.py"))
    found = judged(wrote, replace(GREEN, changed=("made.py",)))
    assert not found.passed
    assert found.output.startswith(
        "void: price.py changed while the gate ran, and on the base the gate does not change that"
    )
    assert found.output.endswith(GREEN.output)
    assert is_uncertain(GateReport(commit=Commit("c"), results=(wrote,)))
    assert not is_uncertain(GateReport(commit=Commit("c"), results=(GREEN,)))


def test_many_files_are_not_all_named() -> None:
    found = judged(replace(GREEN, changed=tuple(f"{number}.py" for number in range(9))))
    assert "4.py and more changed" in found.output


def test_what_the_gate_writes_on_the_base_too_is_its_own_affair() -> None:
    wrote = replace(GREEN, changed=("made.py",))
    assert judged(wrote, wrote) == wrote


@pytest.mark.parametrize("output", ["1 failed, 2 passed in 0.1s", "and then nothing"])
def test_a_gate_whose_own_runner_contradicts_it_is_red(output: str) -> None:
    found = judged(replace(GREEN, output=output))
    assert not found.passed
    assert found.output.startswith("void: the gate ")


def test_red_stays_red_and_what_is_not_known_of_the_base_is_held_against_no_one() -> None:
    red = replace(GREEN, passed=False, changed=("a",))
    assert judged(red) == red
    other = replace(GREEN, name="lint", changed=("a",))
    assert judged(other) == other


def test_fewer_tests_are_reported_by_the_gate() -> None:
    found = judged(replace(GREEN, output="2 passed in 0.1s"))
    assert found.passed
    assert found.fewer == "2 of 3"
    assert fewer_shown(GateReport(commit=Commit("c"), results=(found, GREEN))) == "fewer tests passed (test: 2 of 3)"
    assert not fewer_shown(GateReport(commit=Commit("c"), results=(GREEN,)))
    assert not fewer_shown(None)


def test_gates_that_run_code_of_the_change_prove_nothing_where_there_are_objections() -> None:
    gates = (Gate(name="test", command="pytest"), Gate(name="lint", command="ruff check"))
    lint = replace(GREEN, name="lint", command="ruff check")
    report = GateReport(commit=Commit("c"), results=(GREEN, lint, replace(GREEN, restored=True)))
    assert objected(report, (), gates) == report
    found = objected(report, ("price.py changes the test runner",), gates)
    assert [result.passed for result in found.results] == [False, True, True]
    assert found.results[0].output.startswith("void:\nprice.py changes the test runner\nThe gate's result")
