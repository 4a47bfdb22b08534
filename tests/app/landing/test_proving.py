"""What a story must show before it lands, and the certificate that it leaves."""

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.certificates import recorded
from shiftwork.app.commands.runs import Order, start_run, wait_for
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.landing.state import LandingPolicy, Proof
from shiftwork.domain.proof.verdict import Verdict
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.ports.agent import AgentTask
from tests.app.landing.proof_rig import PRINTED, asked, paper_of, ran, working
from tests.app.rig import LANDING, SHORT, Rig, done


def test_who_offers_nothing_lands_where_evidence_is_not_asked_for_and_the_certificate_says_so(rig: Rig) -> None:
    rig.script = working()  # type: ignore[assignment]
    run = ran(rig, asked("work.txt exists"), ProofPolicy.TRUSTING)
    assert run.status is RunStatus.COMPLETED
    said = asyncio.run(paper_of(rig, run)).certificate
    assert [(judged.criterion, judged.verdict) for judged in said.criteria] == [("AC-1", Verdict.MISSING)]
    assert said.commit == rig.find_commit()
    assert said.tree == rig.project.find_tree("main")
    first = said.steps[0]
    assert (first.type, first.attempts, first.agent) == ("coding", 1, "scripted")
    message = rig.read_message()
    assert message.endswith(f"\n\nShiftwork-Run: {run.given.run}/US-001"), "the policy asks for no more"


def test_a_line_of_evidence_that_is_not_understood_is_reported_in_the_proof_and_in_a_note(rig: Rig) -> None:
    rig.script = working("AC-1: it is there", "AC-2: work.txt:1", "AC-2: see above")  # type: ignore[assignment]
    run = ran(rig, asked("work.txt exists", "it has lines"), ProofPolicy.TRUSTING)
    first, second = asyncio.run(paper_of(rig, run)).certificate.criteria
    assert (first.verdict, first.kind, first.reference) == (Verdict.MISSING, "", "")
    assert first.why == "1 line of evidence was not understood: it is there"
    assert (second.verdict, second.kind, second.reference) == (Verdict.HOLDS, "citation", "work.txt:1")
    notes = [fact.text for fact in asyncio.run(rig.facts(run)) if isinstance(fact, story_facts.NoteWritten)]
    lines = "2 lines of evidence were not understood: AC-1: it is there; AC-2: see above."
    assert notes == [f"{lines} Write each as: AC-1 citation src/greet.py:3"]


def test_evidence_that_is_missing_is_asked_for_and_then_the_story_lands(rig: Rig) -> None:
    rig.script = working(fixed=("AC-1 citation work.txt:2",))  # type: ignore[assignment]
    rig.gates = (PRINTED,)
    run = ran(rig, asked("work.txt exists"), ProofPolicy.CITED)
    assert run.status is RunStatus.COMPLETED
    facts = asyncio.run(rig.facts(run))
    refused = [fact for fact in facts if isinstance(fact, story_facts.LandingRefused)]
    assert [landing_refused.cause for landing_refused in refused] == [Refusal.EVIDENCE]
    assert refused[0].detail.endswith("AC-1 (work.txt exists): no evidence was reported")
    assert refused[0].feedback.startswith(f"{refused[0].detail}\nFor each, call report_evidence with kind citation")
    assert [fact.feedback for fact in facts if isinstance(fact, story_facts.RepairPlanned)] == [refused[0].feedback]
    said = asyncio.run(paper_of(rig, run)).certificate
    assert [(judged.verdict, judged.reference) for judged in said.criteria] == [(Verdict.HOLDS, "work.txt:2")]
    assert said.repairs == 1


@pytest.mark.parametrize("policy", [ProofPolicy.CITED, ProofPolicy.STRICT])
def test_an_agent_without_tools_is_instructed_what_to_show_before_it_is_refused_for_want_of_it(
    rig: Rig, policy: ProofPolicy
) -> None:
    def script(task: AgentTask) -> Turn:
        turn = done(write={"work.txt": "one\n"}) if task.env["SHIFTWORK_STEP_TYPE"] == "coding" else done()
        return replace(turn, answer=f"EVIDENCE:\n- AC-1 citation work.txt:1\n{turn.answer}") if asks(task) else turn

    def asks(task: AgentTask) -> bool:
        return "It needs evidence for AC-1" in task.prompt and "EVIDENCE:\n" in task.prompt

    rig.script = script
    run = ran(rig, asked("work.txt exists"), policy, repairs=0)
    assert run.status is RunStatus.COMPLETED
    assert asyncio.run(paper_of(rig, run)).certificate.criteria[0].verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    "claim",
    [
        "citation README:1",
        "citation work.txt:9",
        "citation nowhere.txt:1",
        "citation work.txt",
        "test test_other",
        "verification VS-1",
        "hearsay my word",
    ],
)
def test_a_false_claim_never_lands(rig: Rig, claim: str) -> None:
    rig.script = working(f"AC-1 {claim}", fixed=(f"AC-1 {claim}",))  # type: ignore[assignment]
    run = ran(rig, asked("work.txt exists"), ProofPolicy.CITED)
    story = asyncio.run(rig.story(run))
    assert (story.status, story.outcome.cause) == (StoryStatus.FAILED, FailureCause.REFUSED)
    assert "(evidence)" in story.outcome.reason
    assert rig.log() == ["start"]


def test_a_test_that_no_gate_has_printed_is_enough_where_it_is_named_and_not_where_it_must_be_seen(rig: Rig) -> None:
    rig.script = working("AC-1 test tests/check.py::test_work")  # type: ignore[assignment]
    run = ran(rig, asked("work.txt exists"), ProofPolicy.CITED)
    assert asyncio.run(paper_of(rig, run)).certificate.criteria[0].verdict is Verdict.PRESENT


def test_a_test_that_a_gate_has_printed_as_passing_holds_under_the_strictest_policy(rig: Rig) -> None:
    rig.script = working("AC-1 test tests/check.py::test_work")  # type: ignore[assignment]
    rig.gates = (PRINTED,)
    run = ran(rig, asked("work.txt exists"), ProofPolicy.STRICT)
    assert asyncio.run(paper_of(rig, run)).certificate.criteria[0].verdict is Verdict.HOLDS


def test_verification_steps_run_on_the_candidate_and_keep_a_story_from_landing(rig: Rig) -> None:
    file = Verification(id="VS-1", kind=VerificationKind.FILE_EXISTS, name="the work", path="work.txt")
    shell = Verification(
        id="VS-2", kind=VerificationKind.SHELL, name="says two", command="cat work.txt", contains=("two",)
    )
    rig.script = working(file="one\n")  # type: ignore[assignment]
    run = ran(rig, asked(steps=(file, shell)), ProofPolicy.TRUSTING, repairs=0)
    story = asyncio.run(rig.story(run))
    assert story.status is StoryStatus.FAILED
    assert "US-001 VS-2" in story.outcome.reason
    assert "it printed no 'two'" in story.outcome.reason
    assert rig.log() == ["start"]


def test_a_verification_step_is_its_own_evidence(rig: Rig) -> None:
    file = Verification(id="VS-1", kind=VerificationKind.FILE_EXISTS, name="the work", path="work.txt")
    rig.script = working("VS-1 citation README:1", "AC-1 step the work")  # type: ignore[assignment]
    rig.gates = (PRINTED,)
    rig.landing = LandingPolicy(proof=Proof.TIP)
    run = ran(rig, asked("work.txt exists", steps=(file,)), ProofPolicy.STRICT)
    said = asyncio.run(paper_of(rig, run)).certificate
    assert [(judged.criterion, judged.kind, judged.verdict) for judged in said.criteria] == [
        ("AC-1", "verification", Verdict.HOLDS),
        ("VS-1", "verification", Verdict.HOLDS),
    ]
    assert {line.name for line in said.gates} == {"unit"}
    assert [line.step.id for line in said.verification] == ["VS-1"]


def test_a_criterion_whose_command_is_that_of_a_gate_is_that_gate_and_each_command_runs_once(
    rig: Rig, tmp_path: Path
) -> None:
    counted, own = f"echo gate >> {tmp_path}/ran", f"echo own >> {tmp_path}/ran"
    shell = partial(Verification, kind=VerificationKind.SHELL)
    steps = (
        shell(id="VS-1", name="as the gate", command=counted),
        shell(id="VS-2", name="alone", command=own),
        shell(id="VS-3", name="as the one before", command=own),
        shell(id="VS-4", name="looks at what is printed", command=f"{counted}; echo one", contains=("one",)),
    )
    rig.script = lambda task: (
        done(write={"work.txt": "one\n"}) if "coding" in task.env["SHIFTWORK_STEP_TYPE"] else done()
    )
    rig.gates = (Gate(name="docs", command=counted),)
    run = ran(rig, asked(steps=steps), ProofPolicy.STRICT)
    assert (tmp_path / "ran").read_text(encoding="utf-8").split() == ["gate", "own", "gate"]
    said = asyncio.run(paper_of(rig, run)).certificate
    assert [(judged.criterion, judged.verdict) for judged in said.criteria] == [
        (step.id, Verdict.HOLDS) for step in steps
    ]
    assert [line.step.id for line in said.verification] == [step.id for step in steps]
    assert [line.name for line in said.gates] == ["docs"]


def test_with_only_the_last_of_a_batch_checked_the_one_without_evidence_is_found(rig: Rig) -> None:
    """Three stories land together; the second offers nothing, and the others land without it."""

    def script(task: AgentTask) -> Turn:
        story = task.env["SHIFTWORK_STORY"]
        turn = done(write={f"{story}.txt": "work\n"})
        message = "" if story == "US-002" else f"\nEVIDENCE:\n- AC-1 citation {story}.txt:1\n"
        return replace(turn, answer=turn.answer + message)

    rig.script = script
    rig.landing = LandingPolicy(proof=Proof.TIP)
    rig.gates = (Gate(name="slow", command="sleep 0.5"),)
    item = asked("the file exists").stories[0]
    step = Verification(id="VS-1", kind=VerificationKind.SHELL, command="true")
    names = [StoryId(f"US-00{number}") for number in (1, 2, 3)]
    spec = Spec(
        title="t",
        description="d",
        stories=tuple(replace(item, id=name, title=f"Add {name}", verification=(step,)) for name in names),
    )

    async def scenario() -> None:
        async with rig.open() as context:
            order = Order(
                spec=spec,
                workflow=SHORT,
                branch="main",
                landing=LANDING,
                agent="scripted",
                limits=Limits(repairs=0),
                proof=ProofPolicy.CITED,
                parallel=3,
            )
            run = await start_run(context, order)
            await asyncio.wait_for(wait_for(context, run), timeout=60)
            ends = {name: (await rig.story(run, name)).status for name in names}
            assert ends == {
                names[0]: StoryStatus.COMPLETED,
                names[1]: StoryStatus.FAILED,
                names[2]: StoryStatus.COMPLETED,
            }
            for name in (names[0], names[2]):
                paper = await recorded(rig.store.events, run, name)
                assert paper
                assert [line.name for line in paper.certificate.gates] == ["slow"]

    asyncio.run(scenario())
