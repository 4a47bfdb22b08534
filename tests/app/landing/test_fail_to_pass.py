"""The tests that a story changes, run without its change: what is recorded of it, and what it decides."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.app.commands.runs import cancel_run, wait_for
from shiftwork.app.landing.fail_to_pass import Listener, Trial, tried
from shiftwork.app.runtime.context import Context, GateBegun
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.fail_to_pass_result import FailToPass, FailToPassOutcome, NamedTest, NamedTestState
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.state import LandingPolicy, Proof
from shiftwork.domain.proof.case import Case
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.proof.fail_to_pass import AT_ITS_TIP, NO_PRODUCT
from shiftwork.domain.proof.verdict import Verdict
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.tampering.findings import Protection
from shiftwork.errors import GitKilledError
from shiftwork.ports.agent import AgentTask
from shiftwork.ports.workspace import NOWHERE, Begun, LoadedListener, OutputListener, ignore_line, unwatched
from tests.app.landing.fail_to_pass_rig import (
    CALLS,
    DISCOUNT,
    IMPORTS,
    PASSES,
    PRICE,
    SEES,
    UNITTEST,
    found_on,
    landed,
    priced,
    writing,
)
from tests.app.landing.landing_rig import land, work
from tests.app.landing.proof_rig import asked, paper_of, ran
from tests.app.landing.test_withdrawing import is_gone
from tests.app.rig import LANDING, SHORT, Rig, done
from tests.patience import SECONDS


@pytest.fixture
def rig(rig: Rig) -> Rig:
    return priced(rig)


@pytest.mark.parametrize(
    ("tests", "outcome", "state", "why"),
    [
        (CALLS, FailToPassOutcome.ASSERTION, NamedTestState.RED, "it fails without the change"),
        (IMPORTS, FailToPassOutcome.LOADING, NamedTestState.ABSENT, "without the change it does not load"),
    ],
)
@pytest.mark.parametrize("policy", list(ProofPolicy))
def test_a_test_that_needs_the_change_is_evidence(
    rig: Rig, policy: ProofPolicy, tests: str, outcome: FailToPassOutcome, state: NamedTestState, why: str
) -> None:
    run = landed(rig, policy, {"price.py": DISCOUNT, "test_new.py": tests}, "test test_new.py::test_new")
    assert run.status is RunStatus.COMPLETED
    found = found_on(rig, run)
    assert found.outcome is outcome
    assert found.reason.startswith("test: ")
    assert found.tests == (NamedTest(reference="test_new.py::test_new", state=state),)
    (judged,) = asyncio.run(paper_of(rig, run)).certificate.criteria
    assert (judged.verdict, judged.why) == (Verdict.HOLDS, f"a gate printed it as passing; {why}")


@pytest.mark.parametrize("policy", list(ProofPolicy))
def test_a_test_that_passes_without_the_change_shows_nothing(rig: Rig, policy: ProofPolicy) -> None:
    run = landed(rig, policy, {"price.py": DISCOUNT, "test_new.py": PASSES}, "test test_new")
    why = "it passes without the change too, so it does not prove the change"
    if policy is not ProofPolicy.TRUSTING:
        assert run.status is RunStatus.FAILED
        assert why in asyncio.run(rig.story(run)).outcome.reason
        return
    assert run.status is RunStatus.COMPLETED
    assert found_on(rig, run).outcome is FailToPassOutcome.GREEN
    (judged,) = asyncio.run(paper_of(rig, run)).certificate.criteria
    assert (judged.verdict, judged.why.startswith(why)) == (Verdict.FALSE, True)


def test_other_evidence_counts_where_new_tests_show_nothing_so_that_refactorings_land(rig: Rig) -> None:
    files = {"price.py": PRICE.replace("sum(items)", "sum(list(items))"), "test_new.py": PASSES}
    run = landed(rig, ProofPolicy.STRICT, files, "citation price.py:2")
    assert run.status is RunStatus.COMPLETED
    assert found_on(rig, run) == FailToPass(outcome=FailToPassOutcome.GREEN)


def test_an_old_test_says_nothing_of_a_story_that_changes_none(rig: Rig) -> None:
    run = landed(rig, ProofPolicy.CITED, {"price.py": DISCOUNT}, "test test_old.py::test_total")
    message = asyncio.run(rig.story(run)).outcome.reason
    assert "it existed before this story, which has not changed it" in message
    assert "use a citation or a verification step instead" in message
    run = landed(rig, ProofPolicy.CITED, {"price.py": DISCOUNT}, "citation price.py:5-6")
    assert run.status is RunStatus.COMPLETED
    assert found_on(rig, run) == FailToPass(outcome=FailToPassOutcome.NO_TESTS)


def test_tests_alone_are_not_run_without_a_change_that_there_is_not(rig: Rig) -> None:
    run = landed(rig, ProofPolicy.STRICT, {"test_new.py": PASSES}, "test test_new")
    assert run.status is RunStatus.COMPLETED
    found = found_on(rig, run)
    assert (found.outcome, found.reason) == (FailToPassOutcome.NOT_APPLICABLE, NO_PRODUCT)


def test_new_files_are_left_out_deleted_ones_are_back_and_the_rest_stays(rig: Rig, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    listing = f"{SEES} || exit 1; (ls; cat pric*.py data.txt) > {seen}.$$; ls mor*.py || mv {seen}.$$ {seen}"
    rig.gates = (Gate(name="test", command=listing),)
    rig.commit_files({"gone.py": "x = 1\n"})

    def script(task: AgentTask) -> Turn:
        files = {"price.py": DISCOUNT, "more.py": "", "data.txt": "of the story\n", "test_new.py": PASSES}
        return done(write=files, delete=("gone.py",)) if task.env["SHIFTWORK_STEP_TYPE"] == "coding" else done()

    rig.script = script
    assert ran(rig, asked("price.py has a discount"), ProofPolicy.TRUSTING).status is RunStatus.COMPLETED
    message = seen.read_text()
    assert message.splitlines()[:6] == ["README", "data.txt", "gone.py", "price.py", "test_new.py", "test_old.py"]
    assert "discount" not in message
    assert "of the story" in message


def verified(rig: Rig) -> list[GateReport]:
    facts = [recorded.fact for recorded in asyncio.run(rig.store.events.read(LANDING))]
    return [
        fact.report
        for fact in facts
        if isinstance(fact, landing_facts.CandidateVerified | landing_facts.CandidateFailed)
    ]


def test_a_second_try_of_a_flaky_gate_does_not_run_it_again(rig: Rig, tmp_path: Path) -> None:
    ran_without, tried_once = tmp_path / "without", tmp_path / "once"
    flaky = f"test ! -e test_new.py || test -f {tried_once} || {{ touch {tried_once}; exit 1; }}"
    here = f"{SEES} || exit 1; if grep -q discount pric*.py; then {flaky}"
    rig.gates = (Gate(name="test", command=f"{here}; else echo x >> {ran_without}; exit 1; fi"),)
    run = landed(rig, ProofPolicy.TRUSTING, {"price.py": DISCOUNT, "test_new.py": CALLS})
    assert run.status is RunStatus.COMPLETED
    assert ran_without.read_text() == "x\n"
    assert [report.passed for report in verified(rig)] == [False, True]
    assert {report.fail_to_pass for report in verified(rig)} == {found_on(rig, run)}
    assert found_on(rig, run).outcome is FailToPassOutcome.ASSERTION
    lines = asyncio.run(paper_of(rig, run)).certificate.gates
    assert [(line.flaky, line.restored) for line in lines] == [(True, False), (False, True)]


@pytest.mark.parametrize("slow", ["with it", "without it"])
def test_it_runs_beside_the_gates_and_is_shown_once_it_is_waited_for(rig: Rig, tmp_path: Path, slow: str) -> None:
    """Each waits for the other to have begun; the slower one then sleeps."""
    path, other = tmp_path / "with", tmp_path / "without"
    wait = "until test -f {0}; do sleep 0.05; done"
    pause = {name: "sleep 1" if name == slow else "true" for name in ("with it", "without it")}
    here = f"touch {path}; {wait.format(other)}; {pause['with it']}"
    there = f"touch {other}; {wait.format(path)}; {pause['without it']}; exit 1"
    rig.gates = (
        Gate(
            name="test",
            command=f"{SEES} || exit 1; if grep -q discount pric*.py; then {here}; else {there}; fi",
            minutes=1,
        ),
    )
    run = landed(rig, ProofPolicy.TRUSTING, {"price.py": DISCOUNT, "test_new.py": CALLS})
    assert run.status is RunStatus.COMPLETED
    begun = [(sighting.what.gate, sighting.what.where) for sighting in rig.seen if isinstance(sighting.what, GateBegun)]
    restored, broken = "(your original tests against the new code)", "with broken sources"
    assert begun == [("test", ""), ("test", restored), ("test", broken), ("test", "without the change")]


def test_the_three_runs_of_a_landing_go_on_at_the_same_time(rig: Rig, tmp_path: Path) -> None:
    """As it is, without the change, with the original tests: each waits for the other two to have begun."""
    met = tmp_path / "met"
    met.mkdir()
    together = f"mktemp {met}/XXXXXX > /dev/null; until [ $(ls {met} | wc -l) -ge 3 ]; do sleep 0.02; done"
    canary = f"{SEES} || exit 1"
    rig.gates = (Gate(name="test", command=f"{canary}; {together}; {UNITTEST.command}", minutes=0.5),)
    run = landed(rig, ProofPolicy.TRUSTING, {"price.py": DISCOUNT, "test_new.py": CALLS})
    assert run.status is RunStatus.COMPLETED
    assert found_on(rig, run).outcome is FailToPassOutcome.ASSERTION
    assert [[(result.restored, result.passed) for result in report.results] for report in verified(rig)] == [
        [(False, True), (True, True)]
    ], "none was tried twice"


def test_original_tests_that_run_beside_a_red_candidate_say_nothing_of_it(rig: Rig, tmp_path: Path) -> None:
    """They are ended with it, and a second try runs them after the first."""
    runs = tmp_path / "runs"
    runs.mkdir()
    counted = f"{SEES} || exit 1; mktemp {runs}/XXXXXX > /dev/null"
    red = "if test -e test_new.py; then exit 1; else sleep 60; fi"
    rig.gates = (Gate(name="test", command=f"{counted}; {red}", minutes=0.5),)
    run = landed(rig, ProofPolicy.TRUSTING, {"price.py": PRICE, "work.py": "x = 1\n", "test_new.py": CALLS})
    assert run.status is RunStatus.FAILED
    failed = [sighting.what for sighting in rig.seen if isinstance(sighting.what, landing_facts.CandidateFailed)]
    assert [[result.restored for result in fact.report.results] for fact in failed] == [[False], [False]]


def test_its_processes_end_when_the_story_is_withdrawn(rig: Rig, tmp_path: Path) -> None:
    message = tmp_path / "gate"
    there = f"echo $$ > {message}.new; mv {message}.new {message}; sleep 60"
    rig.gates = (Gate(name="test", command=f"{SEES} && grep -q discount pric*.py || {{ {there}; }}"),)
    rig.script = writing({"price.py": DISCOUNT, "test_new.py": CALLS})  # type: ignore[assignment]

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, asked("price.py has a discount"), workflow=SHORT)
            await rig.until(message.exists)
            await cancel_run(context.inbox, run)
            state = await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)
            assert state.status is RunStatus.CANCELLED

    asyncio.run(scenario())
    assert is_gone(message)


def test_a_batch_that_is_proved_at_its_tip_has_none_and_one_of_a_single_story_has(rig: Rig) -> None:
    rig.landing = LandingPolicy(proof=Proof.TIP)

    async def scenario() -> None:
        async with rig.open() as context:
            request = await work(context, "US-001", {"price.py": DISCOUNT, "test_new.py": CALLS})
            other = await work(context, "US-002", {"more.py": "x = 1\n", "test_more.py": "import more\n"})
            landing = await land(context, request, other)
            (verified,) = landing.of(landing_facts.CandidateVerified)
            assert verified.report.fail_to_pass == FailToPass(
                outcome=FailToPassOutcome.NOT_APPLICABLE, reason=AT_ITS_TIP
            )
            for answer in landing.answers.values():
                assert answer["report"]["fail_to_pass"]["reason"] == AT_ITS_TIP
            alone = await work(context, "US-003", {"rest.py": "x = 1\n", "test_rest.py": "import rest\n"})
            found = (await land(context, alone)).of(landing_facts.CandidateVerified)[-1].report.fail_to_pass
            assert found
            assert found.outcome is FailToPassOutcome.LOADING

    asyncio.run(scenario())


def test_gates_that_were_red_on_the_base_say_nothing_of_new_tests(rig: Rig) -> None:
    async def scenario() -> None:
        async with rig.open() as context:
            request = await work(context, "US-001", {"price.py": DISCOUNT, "test_new.py": CALLS})
            landing = await land(context, replace(request, broken=("test",)))
            (verified,) = landing.of(landing_facts.CandidateVerified)
            assert verified.report.fail_to_pass
            assert verified.report.fail_to_pass.reason == "the gate is red on the base"

    asyncio.run(scenario())


def test_a_revert_is_not_asked_for_tests(rig: Rig) -> None:
    async def scenario() -> None:
        async with rig.open() as context:
            request = await work(context, "US-001", {"price.py": DISCOUNT, "test_new.py": CALLS})
            landing = await land(context, replace(request, type="revert"))
            assert landing.of(landing_facts.CandidateVerified)[0].report.fail_to_pass is None

    asyncio.run(scenario())


# What may go wrong -----------------------------------------------------------------------------------------------


async def trial(context: Context, files: Mapping[str, str], *claims: str) -> Trial:
    request = await work(context, "US-001", files)
    evidence = tuple(Evidence(criterion="AC-1", kind="test", reference=claim) for claim in claims)
    return Trial(
        base=request.base,
        commit=request.tip,
        gates=(UNITTEST,),
        protection=Protection(),
        case=Case(evidence=evidence),
        marker="trial",
        landed=request.base,
    )


def test_a_tree_that_cannot_be_prepared_without_the_change_is_no_verdict(git_rig: Rig) -> None:
    """The story needs an environment of its own, and what makes it needs the change."""
    priced(git_rig)

    async def scenario() -> FailToPass:
        async with git_rig.open() as context:
            assert isinstance(context.gates, GitGates)
            setup = Setup(shell=context.gates.setup.shell, command="grep -s discount price.p[y]")
            picky = replace(context, gates=replace(context.gates, setup=setup))
            files = {"price.py": DISCOUNT, "test_new.py": CALLS, "requirements.txt": "# none\n"}
            return await tried(await trial(context, files), picky)

    found = asyncio.run(scenario())
    assert found.outcome is FailToPassOutcome.NOT_APPLICABLE
    assert found.reason.startswith("no tree without the change could be prepared: ")


class Killed:
    """Gates whose git was killed."""

    async def check(
        self,
        commit: Commit,
        gates: Sequence[Gate],
        marker: str,
        *,
        base: Commit = NOWHERE,
        borrowing: bool = False,
        again: bool = True,
        begun: Begun = unwatched,
        on_output: OutputListener = ignore_line,
        on_loaded: LoadedListener | None = None,
    ) -> GateReport:
        raise GitKilledError(f"git was killed at {commit}")


def test_a_killed_git_is_no_verdict_either_and_the_check_is_done_again(rig: Rig) -> None:
    async def scenario() -> None:
        async with rig.open() as context:
            doomed = await trial(context, {"price.py": DISCOUNT, "test_new.py": CALLS})
            with pytest.raises(GitKilledError):
                await tried(doomed, replace(context, gates=Killed()))

    asyncio.run(scenario())


def test_named_tests_are_found_in_outputs_of_any_length(rig: Rig) -> None:
    """Their lines are in the middle of much more than a report keeps."""
    lines = "echo 'FAILED test_new.py::test_new - assert 1 == 2'; echo 'test_old.py::test_total PASSED'"
    gate = Gate(name="test", command=f"seq 20000; {lines}; seq 20000; exit 1")

    async def scenario() -> FailToPass:
        async with rig.open() as context:
            files = {"price.py": DISCOUNT, "test_new.py": CALLS}
            wanted = await trial(context, files, "test_new", "test_old.py::test_total")
            return await tried(replace(wanted, gates=(gate,)), context)

    found = asyncio.run(scenario())
    assert [named_test.state for named_test in found.tests] == [NamedTestState.RED, NamedTestState.GREEN]
    assert found.reason == "test: 20000"


def test_what_is_received_is_bounded_and_goes_to_its_own_gate() -> None:
    listener = Listener(("test_a", "adds two"))
    for _ in range(3000):
        listener.feed("unit", "test_a (tests.C)")
        listener.feed("e2e", "test_ab and atest_a")
    listener.feed("more", "test_a (tests.C)")
    listener.feed("more", "What it is about ... ok" + "x" * 900)
    listener.feed("more", "not this")
    listener.feed("more", "✓ adds two")
    received = {name: listener.received(GateResult(name=name, passed=False, seconds=1)).output for name in _GATES}
    assert len(received["unit"].splitlines()) == 1001
    assert received["e2e"] == ""
    assert received["more"].splitlines() == [
        "",
        "test_a (tests.C)",
        "What it is about ... ok" + "x" * 477,
        "✓ adds two",
    ]
    assert Listener(()).received(GateResult(name="unit", passed=True, seconds=1, output="all")).output == "all"


_GATES = ("unit", "e2e", "more")
