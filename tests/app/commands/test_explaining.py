"""How gates are explained to people: why one is red here and green there, what it needs, and what it does not see."""

import asyncio
from dataclasses import replace

from shiftwork.app.commands.explain_gate import (
    explained,
    gates_by_name,
    gates_for,
    gates_of_run,
    looks_refused,
    needed_by_criteria,
    needs,
    only_tests_fail,
    opened,
    program,
    remedies,
    unseen_roots,
)
from shiftwork.domain.canary.canary_verdict import GateSight, Sight
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.checkout_trial import Cause, Difference, Explanation, Named, Trial
from shiftwork.domain.gates.gate import Gate, GateResult
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.tampering.findings import Protection

GATE = Gate(name="test", command="make test")


def test_every_gate_that_can_be_left_out_has_the_name_that_is_printed() -> None:
    step = Verification(id="AC-1", kind=VerificationKind.SHELL, command="make price")
    story = Story(id=StoryId("US-003"), title="t", description="d", verification=(step,))
    spec = Spec(title="t", description="d", stories=(story,))
    known = gates_by_name((GATE,), spec)
    assert [(gate.name, gate.command) for gate in known] == [("test", "make test"), ("US-003 AC-1", "make price")]


class Scripted:
    """Trials of a gate that is green where it has this variable."""

    def __init__(self, variable: str) -> None:
        self._variable = variable
        self.tried: list[Trial] = []

    async def differ(self, printed: str) -> Difference:
        return Difference(variables=Named(everything=("A", "B"), printed=("B",) if "B" in printed else ()))

    async def passes(self, gate: Gate, trial: Trial) -> bool:
        assert gate is GATE
        self.tried.append(trial)
        return self._variable in trial.variables


def test_it_is_tried_until_something_explains_it() -> None:
    trials = Scripted("B")
    why = asyncio.run(explained(GATE, "B is not set", trials))
    assert why == Explanation(cause=Cause.VARIABLES, names=("B",), exact=True)
    assert trials.tried == [Trial(variables=("A", "B")), Trial(variables=("B",))]


def test_what_no_trial_makes_green_is_an_environment() -> None:
    trials = Scripted("C")
    assert asyncio.run(explained(GATE, "", trials)) == Explanation(cause=Cause.ENVIRONMENT)
    assert len(trials.tried) == 1


def test_a_run_is_judged_by_the_gates_that_it_does_not_leave_out() -> None:
    lint, own = Gate(name="lint", command="make lint"), Gate(name="types", command="mypy", origin="prd.json")
    spec = Spec(title="One", description="", stories=(), gates=(own,))
    assert gates_of_run((GATE, lint), spec, ("lint",)) == (GATE, own)
    assert gates_of_run((GATE, lint), spec, ("types",)) == (GATE, lint)


def test_a_spec_is_judged_by_its_own_gates_too() -> None:
    own = Gate(name="types", command="mypy", origin="prd.json")
    assert gates_for((GATE,), Spec(title="Two", description="", stories=(), gates=(own, GATE))) == (GATE, own)


def test_protected_files_are_listed_for_stories_that_are_not_done() -> None:
    first, second = (
        Story(id=StoryId(name), title=name, description="", touches=("tests/test_a.py", "src/a.py"))
        for name in ("US-1", "US-2")
    )
    spec = Spec(title="Two", description="", stories=(first, second))
    assert opened(spec, Protection()) == {first.id: ("tests/test_a.py",), second.id: ("tests/test_a.py",)}
    assert opened(spec, Protection(), {first.id}) == {second.id: ("tests/test_a.py",)}


def test_only_a_red_gate_needs_something() -> None:
    output = "connection to server at 127.0.0.1, port 5432 failed: Connection refused"
    red = GateResult(name="test", passed=False, seconds=1.0, output=output)
    assert needs(red) == (
        "it seems to need the service on port 5432 of this machine: ports = [5432] under [sandbox.gates]",
    )
    assert needs(GateResult(name="test", passed=True, seconds=1.0, output=output)) == ()


def test_the_program_of_a_gate_is_the_first_that_it_starts() -> None:
    assert program(Gate(name="test", command="cd app && uv run pytest -q")) == "pytest"
    assert program(Gate(name="test", command="cd app")) == ""


def test_what_to_change_where_a_gate_is_blind_is_a_line_each() -> None:
    ignoring = GateSight(gate="unit", sight=Sight.BLIND, passes_anyway=True)
    first, last = remedies(ignoring).splitlines()
    assert first.startswith("the gate ignores failures")
    assert 'unit = { …, blind = "allow" }' in last


def test_roots_that_no_test_gate_sees() -> None:
    unit = GateSight(gate="unit", sight=Sight.SEES, seen=("api",), missed=("cart", "web"))
    e2e = GateSight(gate="e2e", sight=Sight.SEES, seen=("web",), missed=("api",), undecided=("cart",))
    assert unseen_roots((unit, e2e)) == ("cart",)
    assert unseen_roots(()) == ()


def test_tests_that_ran_and_failed_need_nothing_of_the_machine() -> None:
    red = GateResult(name="test", passed=False, seconds=1, output="1 failed, 3 passed in 0.10s")
    assert only_tests_fail(red)
    assert not only_tests_fail(replace(red, output="cat: /there: No such file or directory"))
    assert not only_tests_fail(replace(red, output=f"curl: (6) Could not resolve host: api.example.org\n{red.output}"))


def test_only_a_red_gate_may_have_been_refused_something() -> None:
    refused = GateResult(name="test", passed=False, seconds=1, output="curl: (6) Could not resolve host: example.org")
    assert looks_refused(refused)
    assert not looks_refused(replace(refused, passed=True))


def test_what_the_criteria_of_done_stories_need_is_not_looked_for() -> None:
    step = Verification(id="AC-1", kind=VerificationKind.SHELL, command="make price")
    story = Story(id=StoryId("US-003"), title="t", description="d", verification=(step,))
    spec = Spec(title="t", description="d", stories=(story,))
    assert [needed.program for needed in needed_by_criteria(spec, (), ())] == ["make"]
    assert not needed_by_criteria(spec, (story.id,), ())
