"""What follows from a report of gates."""

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.attribution import (
    DETAIL_LIMIT,
    attributed,
    failing,
    fixed,
    gates_of,
    tried_again,
    with_restored,
)
from shiftwork.domain.gates.gate import Gate, GateChange, GateReport, GateResult


def report_of(*passed: bool, restored: bool = False, output: str = "said") -> GateReport:
    results = (
        GateResult(name=f"gate-{number}", passed=flag, seconds=1, output=output, restored=restored)
        for number, flag in enumerate(passed)
    )
    return GateReport(commit=Commit("c"), results=tuple(results))


def changes(report: GateReport) -> list[GateChange | None]:
    return [result.change for result in report.results]


def test_every_case_of_attribution() -> None:
    report = attributed(report_of(True, False, False, True), report_of(True, True, False, False))
    assert changes(report) == [GateChange.CLEAN, GateChange.REGRESSED, GateChange.BROKEN_BEFORE, GateChange.FIXED]
    assert report.broken_before == ("gate-2",)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=6))
def test_attribution_changes_no_verdict(pairs: list[tuple[bool, bool]]) -> None:
    report, base = report_of(*(flag for flag, _ in pairs)), report_of(*(other for _, other in pairs))
    message = attributed(report, base)
    assert [result.passed for result in message.results] == [result.passed for result in report.results]
    broken = {GateChange.BROKEN_BEFORE, GateChange.FIXED}
    assert [change in broken for change in changes(message)] == [not before for _, before in pairs]


def test_a_gate_that_was_broken_before_and_is_green_is_fixed() -> None:
    assert changes(fixed(report_of(True, True), ("gate-1",))) == [GateChange.CLEAN, GateChange.FIXED]


def test_both_runs_make_one_report_on_the_candidate() -> None:
    report, restored = report_of(True), GateReport(commit=Commit("other"), results=report_of(False).results)
    message = with_restored(report, restored)
    assert message.commit == report.commit
    assert [(result.passed, result.restored) for result in message.results] == [(True, False), (False, True)]
    assert not message.passed


def test_flaky_is_distinguished_by_run() -> None:
    first = with_restored(report_of(True), report_of(False))
    second = with_restored(report_of(True), report_of(True))
    assert [result.flaky for result in tried_again(first, second).results] == [False, True]


def test_what_was_broken_before_is_reported_as_that() -> None:
    message = failing(attributed(report_of(False), report_of(False))).for_agents
    assert message.startswith("gate gate-0 failed\nbroken before: this gate is red on the base as well")
    assert message.endswith(":\nsaid")
    assert "broken before" not in failing(attributed(report_of(False), report_of(True))).for_agents


def test_people_are_not_shown_what_an_agent_is_to_do_about_it() -> None:
    text = failing(attributed(report_of(False), report_of(False)))
    assert text.detail.endswith(" Nothing lands while it is red:\nsaid")
    assert text.feedback.endswith(
        " Nothing lands while it is red. Fix it if you can; if not, report what is broken:\nsaid"
    )


def test_the_tests_of_the_base_are_named() -> None:
    message = failing(with_restored(report_of(True), report_of(False))).for_agents
    assert message.startswith("gate gate-0 failed with the tests and the gate configuration as they were")
    named = failing(with_restored(report_of(True), report_of(False), ("tests/a.py", "src/json.py"))).detail
    assert named.endswith(":\n(original versions: tests/a.py, src/json.py)\nsaid")
    many = with_restored(report_of(True), report_of(True, False), [f"tests/{number}.py" for number in range(11)])
    assert "tests/9.py and more)" in failing(many).detail
    assert [result.output for result in many.results[:2]] == ["said", "said"]


@given(st.lists(st.booleans(), max_size=30), st.booleans())
def test_a_report_is_bounded_and_names_every_red_gate_there_is_room_for(passed: list[bool], restored: bool) -> None:  # noqa: FBT001 - drawn
    report = report_of(*passed, restored=restored, output=f"error: {'no' * 50}\n" * (DETAIL_LIMIT // 50))
    text = failing(attributed(report, report_of(*(False for _ in passed))))
    for message in (text.detail, text.for_agents):
        assert len(message) <= DETAIL_LIMIT
        assert bool(message) is not report.passed
        if len(passed) <= 5:
            assert all(f"gate {result.name} failed" in message for result in report.results if not result.passed)


_GATES = tuple(Gate(name=name, command="true") for name in ("lint", "test", "types"))
_NAMES = st.sets(st.sampled_from(["lint", "test", "types", "gone"]))


def test_a_gate_is_left_out_only_where_every_run_leaves_it_out() -> None:
    def left(*runs: tuple[str, ...]) -> list[str]:
        return [gate.name for gate in gates_of(_GATES, *runs)]

    assert left() == left(()) == ["lint", "test", "types"]
    assert left(("lint",)) == ["test", "types"]
    assert left(("lint",), ()) == ["lint", "test", "types"]
    assert left(("lint", "test"), ("test", "types")) == ["lint", "types"]


@given(st.lists(_NAMES, min_size=1, max_size=4))
def test_a_story_that_does_not_leave_a_gate_out_is_judged_by_it(runs: list[set[str]]) -> None:
    found = {gate.name for gate in gates_of(_GATES, *map(tuple, runs))}
    for without in runs:
        assert {gate.name for gate in _GATES} - without <= found
    assert found == {gate.name for gate in _GATES if any(gate.name not in without for without in runs)}
