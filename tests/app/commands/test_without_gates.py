"""A run that continues without a gate that the user has named, beside runs that do not; and a base repaired first."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.app.commands.certificates import Paper
from shiftwork.app.commands.dry_run import rehearse
from shiftwork.app.commands.runs import Order, change_options, resume_run, start_run, wait_for
from shiftwork.app.messaging import messages
from shiftwork.app.views.export import export
from shiftwork.app.views.history import account
from shiftwork.domain.core.ids import Commit, StoryId, run_stream
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.state import LandingPolicy, LandingRequest, Proof
from shiftwork.domain.proof.verdict import Verdict
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.run.steering.base_repair import with_repair
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.certify import digest
from shiftwork.domain.story.facts.certificate import StoryCertified
from shiftwork.domain.story.state import StoryStatus
from shiftwork.domain.workflow.workflow import RALPH, StepKind, StepPlan, Workflow, catalogue_step
from shiftwork.ports.agent import AgentTask
from tests.app.commands.test_certificates import broken, examined
from tests.app.landing.landing_rig import land, titles, work
from tests.app.landing.proof_rig import paper_of
from tests.app.messaging.test_noticing import Channel, reported_by
from tests.app.reported import report
from tests.app.rig import LANDING, Rig, done
from tests.patience import SECONDS

LINT = Gate(name="lint", command="test -f clean.txt || { echo it is not clean; exit 1; }")
TEST = Gate(name="test", command="! test -f bad.txt")
ORDER = Order(spec=one_shot("Add work.txt"), workflow=RALPH, branch="main", landing=LANDING, agent="scripted")
WITHOUT = replace(ORDER, without_gates=("lint",))


@pytest.fixture
def rig(rig: Rig) -> Rig:
    """Whose base is red: there is no clean.txt."""
    rig.gates = (LINT, TEST)
    return rig


def worked(rig: Rig, order: Order) -> RunState:
    async def run() -> RunState:
        async with rig.open() as context:
            started = await start_run(context, order)
            return await asyncio.wait_for(wait_for(context, started), timeout=SECONDS)

    return asyncio.run(run())


def checked(rig: Rig) -> list[list[str]]:
    """The gates that were run on each candidate."""
    facts = [recorded.fact for recorded in asyncio.run(rig.store.events.read(LANDING))]
    verdicts = [
        fact for fact in facts if isinstance(fact, landing_facts.CandidateVerified | landing_facts.CandidateFailed)
    ]
    return [[result.name for result in fact.report.results] for fact in verdicts]


def message(rig: Rig) -> str:
    return rig.read_message()


def test_the_gate_is_not_run_and_commit_certificate_and_views_say_so(rig: Rig) -> None:
    outputs = Channel()
    state = worked(reported_by(rig, outputs=outputs), replace(WITHOUT, notices=rig.notices))
    assert (state.status, checked(rig)) == (RunStatus.COMPLETED, [["test"]])
    assert message(rig).endswith("\nShiftwork-Unproved: the gate lint was left out")
    (certified,) = [fact for fact in asyncio.run(rig.facts(state)) if isinstance(fact, StoryCertified)]
    assert certified.certificate.without_gates == ("lint",)
    completed = asyncio.run(account(rig.store.events, state.given.run))
    assert "| gates | without the gate lint |" in report(completed)
    assert "- gate lint was not run: the user has let the run continue without it" in report(completed)
    assert export(completed, rig.repo)["account"]["without_gates"] == ["lint"]
    (notice,) = outputs.taken
    assert notice.text.splitlines()[0].endswith(", without the gate lint")
    row = asyncio.run(rig.store.queries.run(state.given.run))
    assert row is not None
    assert row.without_gates == "lint"


@pytest.mark.parametrize("clone", [False, True])
def test_a_certificate_that_is_verified_says_which_gate_was_not_run(rig: Rig, *, clone: bool) -> None:
    state = worked(rig, WITHOUT)
    paper = asyncio.run(paper_of(rig, state))
    found = asyncio.run(examined(rig, paper, rig.gates, clone=clone))
    assert broken(found) == set()
    lines = [held.message for held in found if held.name == "gate lint"]
    assert lines == ["not run on this commit: the user has let the run continue without it"]
    silent = replace(paper.certificate, without_gates=())
    forgery = Paper(certificate=silent, sha256=digest(silent))
    kept = broken(asyncio.run(examined(rig, forgery, rig.gates, clone=clone)))
    assert kept == ({"not proved"} if clone else {"history", "not proved"})


def test_a_run_with_all_gates_says_nothing_of_it(rig: Rig) -> None:
    rig.commit_files({"clean.txt": ""}, "clean")
    state = worked(rig, ORDER)
    assert checked(rig) == [["lint", "test"]]
    assert "Shiftwork-Unproved" not in message(rig)
    completed = asyncio.run(account(rig.store.events, state.given.run))
    assert "without the gate" not in report(completed)
    assert export(completed, rig.repo)["account"]["without_gates"] == []


def test_agents_are_not_notified_of_it(rig: Rig) -> None:
    prompts = []

    def script(task: AgentTask) -> Turn:
        prompts.append(task.prompt)
        return done(write={"work.txt": "work\n"})

    rig.script = script
    worked(rig, WITHOUT)
    assert all(LINT.command not in prompt and TEST.command in prompt for prompt in prompts)
    (line,) = rehearse(WITHOUT, _work_policy(rig), tools=False)
    assert (LINT.command in line.prompt, TEST.command in line.prompt) == (False, True)


def _work_policy(rig: Rig) -> Any:
    async def of_rig() -> Any:
        async with rig.open() as context:
            return context.work_policy

    return asyncio.run(of_rig())


def test_a_step_of_gates_leaves_it_out_too(rig: Rig) -> None:
    body = (catalogue_step("coding"), StepPlan(name="gates", type="gates", kind=StepKind.GATE))
    steps = Workflow(
        id="gated", version=1, steps=(StepPlan(name="all", type="stories", kind=StepKind.LOOP, body=body),)
    )
    state = worked(rig, replace(WITHOUT, workflow=steps))
    assert state.status is RunStatus.COMPLETED
    (ran,) = [
        fact
        for fact in asyncio.run(rig.facts(state))
        if isinstance(fact, story_facts.StepCompleted) and "gates" in fact.notes
    ]
    assert ran.notes == "gates passed: test"


def test_an_undo_lands_without_it_and_says_so(rig: Rig) -> None:
    async def run() -> RunState:
        async with rig.open() as context:
            started = await start_run(context, WITHOUT)
            await asyncio.wait_for(wait_for(context, started), timeout=SECONDS)
            undo = run_facts.StoryUndoRequested(at=0, story=StoryId("US-001"))
            await messages.send(context.inbox, run_stream(started), "undo", undo)
            await resume_run(context, started)
            return await asyncio.wait_for(wait_for(context, started), timeout=SECONDS)

    state = asyncio.run(run())
    assert rig.log()[0] == "revert: Add work.txt"
    assert message(rig).endswith("Shiftwork-Unproved: the gate lint was left out")
    assert state.stories[StoryId("US-001")].status is StoryStatus.UNDONE


def test_a_criterion_with_the_same_command_does_not_run_it_either(rig: Rig) -> None:
    step = Verification(id="AC-1", kind=VerificationKind.SHELL, name="lint", command=LINT.command)
    story = replace(ORDER.spec.stories[0], verification=(step,))
    state = worked(rig, replace(WITHOUT, spec=replace(ORDER.spec, stories=(story,))))
    assert (state.status, checked(rig)) == (RunStatus.COMPLETED, [["test"]])
    (judged,) = asyncio.run(paper_of(rig, state)).certificate.criteria
    assert judged.verdict is Verdict.NOT_CHECKED, "what did not run proves nothing"


def test_a_gate_can_be_left_out_while_a_story_is_in_progress(rig: Rig) -> None:
    async def run() -> RunState:
        rig.script = lambda _: done(write={"work.txt": "x\n"}, pause=600)
        async with rig.open() as context:
            started = await start_run(context, ORDER)
            await rig.at_work()
        rig.script = lambda _: done(write={"work.txt": "x\n"})
        await change_options(rig.store.inbox, started, "1", run_facts.OptionsChanged(at=0, without_gates=("lint",)))
        return await rig.carried_on(started)

    state = asyncio.run(run())
    assert (state.status, checked(rig)) == (RunStatus.COMPLETED, [["test"]])
    assert message(rig).endswith("Shiftwork-Unproved: the gate lint was left out")


# Several runs in one queue --------------------------------------------------------------------------------------------


async def asked(context: Any, story: str, *without: str) -> LandingRequest:
    return replace(await work(context, story, {f"{story}.txt": "x\n"}), without_gates=without)


@pytest.mark.parametrize("proof", list(Proof))
def test_in_one_batch_each_run_is_judged_by_its_own_gates(rig: Rig, proof: Proof) -> None:
    rig.landing = LandingPolicy(proof=proof)

    async def landed() -> tuple[set[str], list[str]]:
        async with rig.open() as context:
            requests = [await asked(context, "A", "lint"), await asked(context, "B"), await asked(context, "C", "lint")]
            found = await land(context, *requests)
            return found.landed, rig.log()

    stories, log = asyncio.run(landed())
    assert stories == {"A", "C"}, "the base is red for B alone, which does not leave the gate out"
    assert log == titles("A", "C")


def test_one_check_for_several_leaves_a_gate_out_only_where_all_do(rig: Rig) -> None:
    rig.landing = LandingPolicy(proof=Proof.TIP)

    async def landed() -> None:
        async with rig.open() as context:
            await land(context, await asked(context, "A", "lint"), await asked(context, "B", "lint", "test"))

    asyncio.run(landed())
    assert checked(rig) == [["test"]], "both leave out lint; A does not leave out test"


# A base that is repaired first ----------------------------------------------------------------------------------------


def repairing(rig: Rig, order: Order) -> Order:
    results = (
        GateResult(name="lint", passed=False, seconds=1, output="it is not clean"),
        GateResult(name="test", passed=True, seconds=1),
    )
    spec, first = with_repair(order.spec, GateReport(commit=Commit("c"), results=results), rig.gates, order.branch)
    return replace(order, spec=spec, base_story=first)


def cleaning(task: AgentTask) -> Turn:
    story = task.env["SHIFTWORK_STORY"]
    return done(write={"clean.txt" if story == "BASE-1" else f"{story}.txt": f"{story}\n"})


def test_the_base_is_made_green_before_any_other_story(rig: Rig) -> None:
    rig.script = cleaning
    state = worked(rig, replace(repairing(rig, ORDER), parallel=3))
    assert state.status is RunStatus.COMPLETED
    assert rig.log() == ["feat: Add work.txt", "feat: Make the gate lint green on main", "start"]


def test_the_gate_itself_is_the_evidence_for_it(rig: Rig) -> None:
    rig.script = cleaning
    state = worked(rig, replace(repairing(rig, ORDER), proof=ProofPolicy.STRICT))
    assert rig.log() == ["feat: Make the gate lint green on main", "start"]
    facts = asyncio.run(rig.facts(state, StoryId("BASE-1")))
    (certified,) = [fact for fact in facts if isinstance(fact, StoryCertified)]
    assert [judged.verdict for judged in certified.certificate.criteria] == [Verdict.HOLDS]


def test_a_base_that_no_one_could_repair_blocks_the_rest(rig: Rig) -> None:
    state = worked(rig, repairing(rig, ORDER))
    assert (state.status, rig.log()) == (RunStatus.FAILED, ["start"])
    assert state.schedule.blocked == {"US-001": "depends on BASE-1, which failed"}


def test_the_specs_file_is_not_changed_by_it(rig: Rig) -> None:
    rig.script = cleaning
    file = rig.repo / "prd.json"
    stories = [{"id": "US-001", "title": "Add work.txt", "acceptanceCriteria": ["it is there"], "passes": False}]
    file.write_text(json.dumps({"project": "demo", "userStories": stories}), encoding="utf-8")
    sheet = asyncio.run(FileSpecs(root=rig.repo).read("prd.json"))
    state = worked(rig, repairing(rig, replace(ORDER, spec=sheet.spec, source=sheet.source)))
    assert state.status is RunStatus.COMPLETED
    (text,) = json.loads(file.read_text(encoding="utf-8"))["userStories"]
    assert (text["id"], text["passes"]) == ("US-001", True)


def test_the_note_in_the_specs_file_says_so(rig: Rig) -> None:
    file = rig.repo / "prd.json"
    stories = [{"id": "US-001", "title": "Add work.txt", "acceptanceCriteria": ["it is there"], "passes": False}]
    file.write_text(json.dumps({"project": "demo", "userStories": stories}), encoding="utf-8")
    sheet = asyncio.run(FileSpecs(root=rig.repo).read("prd.json"))
    worked(rig, replace(WITHOUT, spec=sheet.spec, source=sheet.source))
    assert ", without the gate lint" in file.read_text(encoding="utf-8")
