"""The checks that a spec names, from the run's start to its certificate: they hold for its stories and no others."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.certificates import Bench, Memory, Paper, remembered, verify
from shiftwork.app.commands.dry_run import rehearse
from shiftwork.app.commands.runs import Order
from shiftwork.app.runtime.context import WorkPolicy
from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.state import LandingPolicy, LandingRequest, Proof
from shiftwork.domain.proof.certificate import Held
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Spec, one_shot
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.certify import digest
from shiftwork.domain.story.state import StoryStatus
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, catalogue_step
from shiftwork.ports.agent import AgentTask
from tests.app.commands.test_intents import again, ended
from tests.app.landing import landing_rig
from tests.app.landing.proof_rig import asked, paper_of, ran, working
from tests.app.rig import LANDING, SHORT, Rig, done, story_workflow

GOOD = Gate(name="test", command="grep -q good work.txt", origin="docs/prd.json")
SHOWN = "test (prd.json)"


def spec(*gates: Gate) -> Spec:
    return replace(one_shot("Add work.txt"), gates=gates or (GOOD,))


def coding(*texts: str) -> object:
    waiting = list(texts)

    def script(task: AgentTask) -> Turn:
        first = task.env["SHIFTWORK_STEP_TYPE"] == "coding"
        return done(write={"work.txt": waiting.pop(0)}) if first else done()

    return script


def test_a_red_check_of_the_spec_sends_the_work_back_and_what_lands_has_passed_it(rig: Rig) -> None:
    prompts: list[str] = []
    script = coding("bad\n", "good\n")

    def recorded(task: AgentTask) -> Turn:
        prompts.append(task.prompt)
        turn: Turn = script(task)  # type: ignore[operator]
        return turn

    rig.script = recorded
    run = asyncio.run(rig.run(spec(), workflow=SHORT))
    assert run.status is RunStatus.COMPLETED
    facts = asyncio.run(rig.facts(run))
    (refused,) = (fact for fact in facts if isinstance(fact, story_facts.LandingRefused))
    assert f"gate {SHOWN} failed" in refused.detail
    assert "test: `test -f work.txt`" in prompts[0]
    assert f"{SHOWN}: `{GOOD.command}`" in prompts[0], "agents know from the start what will be run"
    assert any(f"gate {SHOWN} failed" in prompt for prompt in prompts[1:])
    assert "Shiftwork-Unproved" not in rig.read_message()


def test_another_process_continues_with_the_checks_that_the_run_began_with(rig: Rig) -> None:
    rig.script = coding("bad\n", "good\n")  # type: ignore[assignment]

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await rig.start(context, spec(), workflow=SHORT)
        return await rig.carried_on(run)

    run = asyncio.run(scenario())
    assert run.given.spec.gates == (GOOD,)
    assert run.status is RunStatus.COMPLETED
    assert rig.read_file("work.txt").strip() == "good"


def test_a_gate_step_without_commands_of_its_own_runs_them_too(rig: Rig) -> None:
    rig.script = coding("bad\n")  # type: ignore[assignment]
    gates = StepPlan(name="check", type="linting", kind=StepKind.GATE)
    workflow = story_workflow(catalogue_step("coding"), gates)
    run = asyncio.run(rig.run(spec(), workflow=workflow))
    failed = [fact for fact in asyncio.run(rig.facts(run)) if isinstance(fact, story_facts.StepFailed)]
    assert failed
    assert f"gate {SHOWN} failed" in failed[0].error


def test_a_rehearsal_shows_them() -> None:
    order = Order(spec=spec(), workflow=SHORT, branch="main", landing=LANDING, agent="scripted")
    (line, *_) = rehearse(order, WorkPolicy(gates=(Gate(name="test", command="true"),)), tools=False)
    assert f"{SHOWN}: `{GOOD.command}`" in line.prompt


def test_a_revert_is_not_held_to_what_the_reverted_work_was_to_come_to(rig: Rig) -> None:
    rig.script, rig.gates = coding("good\n"), ()  # type: ignore[assignment]

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await rig.start(context, spec(), workflow=SHORT)
            assert (await ended(context, run)).status is RunStatus.COMPLETED
            return await again(context, run, run_facts.StoryUndoRequested(at=0, story=StoryId("US-001")))

    run = asyncio.run(scenario())
    assert run.stories[StoryId("US-001")].status is StoryStatus.UNDONE
    assert rig.log() == ["revert: Add work.txt", "feat: Add work.txt", "start"]


# Several runs on one branch --------------------------------------------------------------------------------------


def of_run(request: LandingRequest, run: str, *gates: Gate) -> LandingRequest:
    return replace(request, run=RunId(f"{request.run}{run}"), gates=gates)


@pytest.mark.parametrize("proof", Proof)
def test_a_check_holds_for_the_stories_of_its_own_run_and_for_no_others(rig: Rig, proof: Proof) -> None:
    """All three are in one batch; the check of the second spec is red on every candidate."""
    rig.gates, rig.landing = (Gate(name="test", command="true"),), LandingPolicy(proof=proof)
    red = Gate(name="test", command="echo never; exit 1", origin="red.json")
    green = Gate(name="test", command="echo always", origin="green.json")

    async def scenario() -> landing_rig.Landing:
        async with rig.open() as context:
            works = [await landing_rig.work(context, name, {f"{name}.txt": "w\n"}) for name in "ABC"]
            asked_for = [of_run(works[0], "1"), of_run(works[1], "2", red), of_run(works[2], "3", green)]
            return await landing_rig.land(context, *asked_for)

    landing = asyncio.run(scenario())
    assert landing.landed == {"A", "C"}
    assert "gate test (red.json) failed" in landing.answers["B"]["detail"]
    own = {name: [answer["name"] for answer in landing.answers[name]["report"]["results"]] for name in "AC"}
    assert own == {"A": ["test"], "C": ["test", "test (green.json)"]}
    assert landing.of(landing_facts.CandidateFailed)


# Certificates ----------------------------------------------------------------------------------------------------


def landed(rig: Rig) -> tuple[RunState, Paper]:
    rig.script = working(file="good\n")  # type: ignore[assignment]
    rig.gates = (Gate(name="test", command="test -f work.txt"),)
    run = ran(rig, replace(asked("work.txt exists"), gates=(GOOD,)), ProofPolicy.TRUSTING)
    assert run.status is RunStatus.COMPLETED
    return run, asyncio.run(paper_of(rig, run))


async def examined(rig: Rig, paper: Paper, *, clone: bool = False, trusts: bool = False) -> dict[str, Held]:
    said = paper.certificate
    async with replace(rig, recalls=False).open() as context:
        bench = Bench(
            inspector=context.inspector,
            protecting=context.protecting,
            gates=context.gates,
            configured=rig.gates,
            memory=Memory() if clone else await remembered(rig.store.events, said.run, said.story),
            trusts=trusts,
        )
        return {held.name: held for held in await verify(paper, bench)}


def test_the_certificate_has_them_and_they_are_run_again_by_the_history_alone(rig: Rig) -> None:
    _, paper = landed(rig)
    lines = [line for line in paper.certificate.gates if line.origin]
    assert {(line.name, line.command, line.origin) for line in lines} == {(SHOWN, GOOD.command, GOOD.origin)}
    assert [line.restored for line in lines] == [False, True], "the story has changed a test"
    found = asyncio.run(examined(rig, paper))
    assert all(held.passed for held in found.values())
    assert {f"gate {SHOWN}", f"gate {SHOWN} (your original tests against the new code)"} < found.keys()
    rig.gates = (*rig.gates, Gate(name=SHOWN, command="exit 1"))
    newer = asyncio.run(examined(rig, paper))[f"gate {SHOWN}"]
    assert newer.passed is None, "the settings' gate of that name is another: the certificate does not cover it"


def test_where_the_history_is_not_known_they_are_run_only_for_one_who_trusts_the_certificate(rig: Rig) -> None:
    _, paper = landed(rig)
    found = asyncio.run(examined(rig, paper, clone=True))
    message = f"not run, because no history here has this check of {GOOD.origin}: `{GOOD.command}`"
    assert found[f"gate {SHOWN}"] == Held(name=f"gate {SHOWN}", passed=None, message=message)
    assert found["checks"].passed is None
    assert asyncio.run(examined(rig, paper, clone=True, trusts=True))[f"gate {SHOWN}"].passed


def test_a_certificate_cannot_call_a_command_of_its_own_a_check_of_the_spec(rig: Rig, tmp_path: Path) -> None:
    _, paper = landed(rig)
    trace = tmp_path / "trace"
    gates = tuple(
        replace(gate_line, command=f"touch {trace}") if gate_line.origin else gate_line
        for gate_line in paper.certificate.gates
    )
    said = replace(paper.certificate, gates=gates)
    found = asyncio.run(examined(rig, Paper(certificate=said, sha256=digest(said))))
    assert found["history"].passed is False
    assert found[f"gate {SHOWN}"].passed is None
    assert not trace.exists()


def test_a_commit_where_a_check_is_red_by_now_does_not_verify(rig: Rig) -> None:
    run, paper = landed(rig)
    other = rig.find_commit("main~1")
    said = replace(paper.certificate, commit=Commit(other), base=Commit(other))
    found = asyncio.run(examined(rig, Paper(certificate=said, sha256=digest(said))))
    assert found[f"gate {SHOWN}"].passed is False
    assert run.given.spec.gates == (GOOD,)
