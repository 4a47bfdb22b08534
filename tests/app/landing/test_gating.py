"""Gates on a candidate that has changed the tests that judge it, and on a base that was red before."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.app.runtime.context import GateBegun
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import StoryId, story_stream
from shiftwork.domain.gates.gate import ExcusedGate, Gate, GateChange, GateReport
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.state import LandingPolicy, Proof
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec, one_shot
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.tampering.findings import Protection, ProtectPolicy
from shiftwork.ports.agent import AgentTask
from tests.app.reported import report_of
from tests.app.rig import LANDING, SHORT, Rig, done

CHECK = {"tests/check.sh": "grep -q good work.txt || { echo it is not good; exit 1; }\n"}
LAX = {"tests/check.sh": "exit 0\n"}
BAD, GOOD = {"work.txt": "bad\n"}, {"work.txt": "good\n"}


@pytest.fixture
def rig(rig: Rig) -> Rig:
    rig.commit_files(CHECK)
    rig.gates = (Gate(name="test", command="sh tests/check.sh"),)
    return rig


def coding(*writes: Mapping[str, str]) -> Sequence[Turn]:
    return [done(write=dict(files)) for files in writes]


def work(rig: Rig, *writes: Mapping[str, str], limits: Limits = Limits(), **changes: Any) -> RunState:  # noqa: B008 - frozen
    """A run of one story whose coding steps write these files, one after the other."""
    waiting = list(coding(*writes))

    def script(task: AgentTask) -> Turn:
        return waiting.pop(0) if task.env["SHIFTWORK_STEP_TYPE"] == "coding" else done()

    rig.script = script
    story = replace(one_shot("Add work.txt").stories[0], **changes)
    return asyncio.run(rig.run(Spec(title="t", description="d", stories=(story,)), workflow=SHORT, limits=limits))


def reports(rig: Rig) -> list[GateReport]:
    facts = [recorded.fact for recorded in asyncio.run(rig.store.events.read(LANDING))]
    return [
        fact.report
        for fact in facts
        if isinstance(fact, landing_facts.CandidateVerified | landing_facts.CandidateFailed)
    ]


def message(rig: Rig) -> str:
    return rig.read_message()


def inspected(rig: Rig, run: RunState) -> str:
    """What the story did to tests and gate configuration, in one line."""
    return asyncio.run(rig.story(run)).landing.inspection.message


def refusals(rig: Rig, run: RunState) -> list[str]:
    return [fact.detail for fact in asyncio.run(rig.facts(run)) if isinstance(fact, story_facts.LandingRefused)]


@pytest.mark.parametrize("proof", list(Proof))
def test_a_weakened_test_does_not_help(rig: Rig, proof: Proof) -> None:
    rig.landing = LandingPolicy(proof=proof)
    run = work(rig, {**BAD, **LAX}, GOOD)
    assert run.status is RunStatus.COMPLETED
    (text,) = refusals(rig, run)
    assert text.startswith("gate test failed with the tests and the gate configuration as they were before this story.")
    assert "it is not good" in text
    assert rig.read_file("work.txt").strip() == "good"
    assert inspected(rig, run) == "1 edited"
    last = reports(rig)[-1]
    assert [(result.restored, result.passed) for result in last.results] == [(False, True), (True, True)]


def test_which_gate_runs_on_what_can_be_watched(rig: Rig) -> None:
    run = work(rig, {**BAD, **LAX}, GOOD)
    stream, before = story_stream(run.given.run, StoryId("US-001")), "(your original tests against the new code)"
    gates = [
        sighting.what for sighting in rig.seen if sighting.stream == stream and isinstance(sighting.what, GateBegun)
    ]
    assert [(gate_begun.gate, gate_begun.where) for gate_begun in gates] == [
        ("test", ""),
        ("test", before),
        ("test", before),  # the second try: as it is, it is known to be green
        ("test", "on the base"),
        ("test", ""),
        ("test", before),
        ("test", "with broken sources"),
    ]
    assert [gate_begun.at for gate_begun in gates] == sorted(gate_begun.at for gate_begun in gates)


def test_a_run_is_shown_with_what_its_stories_did_to_tests(rig: Rig) -> None:
    run = work(rig, {**GOOD, "tests/check.sh": "test -f work.txt\n", "tox.ini": "[tox]\n"})
    assert run.status is RunStatus.COMPLETED
    assert asyncio.run(rig.story(run)).landing.inspection.message == "1 edited, 1 gate configuration (tox.ini)"
    document = asyncio.run(report_of(rig.store, run.given.run))
    assert "### Tests and gate configuration" in document
    assert "- edited: tests/check.sh" in document
    assert "- gate configuration: tox.ini (\\[tox\\])" in document
    assert "test (your original tests against the new code) passed on" in document


def test_a_test_that_the_spec_says_is_touched_may_change(rig: Rig) -> None:
    run = work(rig, {**BAD, **LAX}, touches=("tests/check.sh",))
    assert run.status is RunStatus.COMPLETED
    assert inspected(rig, run) == "1 edited"
    assert [len(report.results) for report in reports(rig)] == [1]


def test_changes_may_be_reported_only(rig: Rig) -> None:
    rig.protection = Protection(policy=ProtectPolicy.REPORT)
    run = work(rig, {**BAD, **LAX})
    assert run.status is RunStatus.COMPLETED
    assert inspected(rig, run) == "1 edited"


def test_a_story_that_touches_no_test_is_checked_once(rig: Rig) -> None:
    run = work(rig, GOOD)
    assert run.status is RunStatus.COMPLETED
    assert [len(report.results) for report in reports(rig)] == [1]
    assert inspected(rig, run) == ""


def test_new_configuration_is_left_out_of_the_second_run(rig: Rig) -> None:
    rig.commit_files({"tests/check.sh": "test -f pytest.ini || grep -q good work.txt\n"})
    run = work(rig, {**BAD, "pytest.ini": "[pytest]\n", "tests/new.sh": "true\n"}, GOOD)
    assert run.status is RunStatus.COMPLETED
    assert len(refusals(rig, run)) == 1
    assert rig.read_file("work.txt").strip() == "good"


def test_a_script_that_the_gate_runs_is_put_back(rig: Rig) -> None:
    rig.commit_files({"ci/judge": CHECK["tests/check.sh"]})
    rig.gates = (Gate(name="test", command="sh ci/judge"),)
    run = work(rig, {**BAD, "ci/judge": "exit 0\n"}, GOOD)
    assert run.status is RunStatus.COMPLETED
    (text,) = refusals(rig, run)
    assert "(original versions: ci/judge)" in text
    assert inspected(rig, run) == "1 gate configuration (ci/judge)"


def test_new_code_beside_the_tests_is_left_out_of_the_second_run_and_so_are_new_tests(rig: Rig) -> None:
    rig.commit_files({"tests/check.sh": "test -f tests/__init__.py || grep -q good work.txt\n"})
    run = work(rig, {**BAD, "tests/__init__.py": "trick\n", "tests/test_new.py": "assert 1\n"}, GOOD)
    assert run.status is RunStatus.COMPLETED
    assert len(refusals(rig, run)) == 1
    assert inspected(rig, run) == "2 added"
    assert work(rig, {"work.txt": "good, better\n", "tests/test_more.py": "assert 1\n"}).status is RunStatus.COMPLETED
    assert [result.restored for result in reports(rig)[-1].results] == [False, True]


def test_gates_that_only_read_do_not_run_again_without_the_new_tests(rig: Rig) -> None:
    rig.gates = (Gate(name="syntax", command="python3 -m py_compile work.txt"), *rig.gates)
    assert work(rig, {**GOOD, "tests/test_new.py": "assert 1\n"}).status is RunStatus.COMPLETED
    results = [(result.name, result.restored) for result in reports(rig)[-1].results]
    assert results == [("syntax", False), ("test", False), ("test", True)]


def test_a_project_gets_its_first_tests_though_its_gate_is_red_without_any(rig: Rig) -> None:
    """As runners are that find no tests: what the gate says without the new ones is nothing about the story."""
    none = "{ echo 'no tests ran in 0.01s'; exit 5; }"
    rig.gates = (Gate(name="test", command=f"ls test_*.py && cat work.txt || {none}"),)
    run = work(rig, {**GOOD, "test_new.py": "assert 1\n"})
    assert run.status is RunStatus.COMPLETED
    assert refusals(rig, run) == []
    assert [(result.restored, result.passed) for result in reports(rig)[-1].results] == [(False, True)]


def test_a_gate_that_asks_for_coverage_is_not_red_for_the_want_of_new_tests(rig: Rig) -> None:
    said = "FAIL Required test coverage of 100% not reached. Total coverage: 90.00%"
    short = f"echo '{said}'; echo '1 passed in 0.1s'; exit 1"
    lowered = 'case "$PYTEST_ADDOPTS" in *--cov-fail-under=0) true ;; *) false ;; esac'
    rig.gates = (Gate(name="test", command=f"ls tests/test_*.py || {lowered} || {{ {short}; }}"),)
    rig.commit_files({"tests/check.sh": "true\n"})
    run = work(rig, {**GOOD, "tests/test_new.py": "assert 1\n"})
    assert run.status is RunStatus.COMPLETED
    report = reports(rig)[-1]
    assert [(result.restored, result.passed) for result in report.results] == [(False, True), (True, True)]
    assert {result.command for result in report.results} == {rig.gates[0].command}
    reason = "without the story's new tests too little is covered; it passed with the threshold turned off"
    assert report.excused == (ExcusedGate(name="test", reason=reason),)
    assert f"test was excused: {reason}" in asyncio.run(report_of(rig.store, run.given.run))


def test_a_line_about_coverage_excuses_no_gate_that_is_red_without_its_threshold_too(rig: Rig) -> None:
    said = "FAIL Required test coverage of 100% not reached. Total coverage: 90.00%"
    forged = f"echo '{said}'; echo '1 passed in 0.1s'; exit 1"
    rig.gates = (Gate(name="test", command=f"ls tests/test_*.py || grep good work.txt || {{ {forged}; }}"),)
    rig.commit_files({"tests/check.sh": "true\n", "work.txt": "good\n"})
    run = work(rig, {**BAD, "tests/test_new.py": "assert 1\n"}, limits=Limits(repairs=0))
    assert run.status is RunStatus.FAILED
    (text,) = refusals(rig, run)
    assert "Without the new tests only the coverage is too low" in text


def test_new_tests_alone_make_no_gate_green_that_fails_on_the_base(rig: Rig) -> None:
    """A repair of the base, or a story on a branch that owes a gate, could otherwise land by a test that repairs."""
    rig.gates = (Gate(name="test", command="ls test_*.py || sh tests/check.sh"),)
    run = work(rig, {**BAD, "test_new.py": "assert 1\n"}, limits=Limits(repairs=0))
    assert run.status is RunStatus.FAILED
    assert reports(rig)[-1].excused == ()


def test_a_gate_that_is_red_on_the_base_in_another_way_is_not_excused(rig: Rig) -> None:
    """What it says about the story is not what it says about the base."""
    command = "ls tests/test_*.py || { test -f work.txt && exit 3; exit 4; }"
    rig.gates = (Gate(name="test", command=command),)
    rig.commit_files({"tests/check.sh": "true\n"})
    run = work(rig, {**GOOD, "tests/test_new.py": "assert 1\n"}, limits=Limits(repairs=0))
    assert run.status is RunStatus.FAILED


def test_a_plan_that_an_agent_made_lets_no_test_change(rig: Rig) -> None:
    run = work(rig, {**BAD, **LAX}, GOOD, touches=("**",), planned=True)
    assert run.status is RunStatus.COMPLETED
    assert len(refusals(rig, run)) == 1


def test_a_broad_pattern_of_the_spec_lets_no_test_change(rig: Rig) -> None:
    run = work(rig, {**BAD, **LAX}, GOOD, touches=("**", "tests*/**"))
    assert run.status is RunStatus.COMPLETED
    assert len(refusals(rig, run)) == 1


def test_a_change_that_has_landed_meanwhile_is_nothing_to_put_back(rig: Rig) -> None:
    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] != "coding":
            return done()
        rig.commit_files(LAX)
        return done(write={**BAD, **LAX})

    rig.script = script
    assert asyncio.run(rig.run(workflow=SHORT)).status is RunStatus.COMPLETED
    assert [len(report.results) for report in reports(rig)] == [1]


def test_a_gate_that_was_broken_before_is_reported_as_that_and_as_fixed_when_it_is(rig: Rig) -> None:
    rig.gates = (Gate(name="lint", command="test -f clean.txt || { echo unclean; exit 1; }"), *rig.gates)
    run = work(rig, GOOD, {**GOOD, "clean.txt": "clean\n"})
    assert run.status is RunStatus.COMPLETED
    (text,) = refusals(rig, run)
    assert text.startswith("gate lint failed\nbroken before: this gate is red on the base as well, without this story.")
    assert [[result.change for result in item.results] for item in reports(rig)] == [
        [None, None],
        [GateChange.BROKEN_BEFORE, GateChange.FIXED],
        [GateChange.FIXED, GateChange.CLEAN],
    ]
    document = asyncio.run(report_of(rig.store, run.given.run))
    assert "lint failed (broken before)" in document
    assert "lint passed (fixed)" in document


def test_a_gate_that_the_change_broke_is_reported_as_regressed(rig: Rig) -> None:
    rig.commit_files(GOOD)
    run = work(rig, BAD, {**GOOD, "more.txt": "more\n"})
    assert run.status is RunStatus.COMPLETED
    assert [report.results[0].change for report in reports(rig)] == [None, GateChange.REGRESSED, None]


def test_a_profile_is_called_in_where_the_same_failure_comes_back(rig: Rig) -> None:
    called: list[str] = []

    def thorough(task: AgentTask) -> Turn:
        called.append(task.env["SHIFTWORK_STEP"])
        return done(write=GOOD)

    rig.others = {"thorough": ScriptedAgent(thorough)}
    run = work(rig, BAD, {**BAD, "more.txt": "more\n"}, limits=Limits(escalate="thorough"))
    assert run.status is RunStatus.COMPLETED
    assert called == ["step-004"]
    story = asyncio.run(rig.story(run))
    assert (story.landing.escalated, story.landing.repairs) == ("thorough", 2)
