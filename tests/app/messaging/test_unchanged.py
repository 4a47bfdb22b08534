"""Coding steps that change no file: they are repaired at once, and no second session is paid for the same refusal."""

import asyncio
from collections.abc import Mapping

from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.app.views.history import account
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.workflow.workflow import DYNAMIC, Route, StepKind, StepPlan, catalogue_step
from shiftwork.ports.agent import AgentTask
from tests.app.landing.proof_rig import asked, ran
from tests.app.reported import report
from tests.app.rig import SHORT, Rig, done, honest, story_workflow

WORK = {"work.txt": "work\n"}


def sessions(rig: Rig, *coding: Mapping[str, str]) -> list[tuple[str, str]]:
    """The types and prompts of the sessions, in order; coding sessions write these files, one after the other."""
    paid: list[tuple[str, str]] = []
    inner = honest(coding=[done(write=dict(files)) for files in coding])

    def script(task: AgentTask) -> Turn:
        paid.append((task.env["SHIFTWORK_STEP_TYPE"], task.prompt))
        return inner(task)

    rig.script = script
    return paid


def facts_of(rig: Rig, run: RunState) -> tuple[Fact, ...]:
    return tuple(asyncio.run(rig.facts(run)))


def test_a_coding_step_that_changed_no_file_is_repaired_before_anything_else(rig: Rig) -> None:
    paid = sessions(rig, {}, WORK)
    run = asyncio.run(rig.run(workflow=DYNAMIC))
    assert run.status is RunStatus.COMPLETED
    kinds = [kind for kind, _ in paid]
    first = kinds.index("coding")
    assert kinds[first : first + 3] == ["coding", "coding", "linting"]
    assert len(paid) == len(DYNAMIC.story_steps) + 1
    assert "step-005 coding ended without changing a file" in paid[first + 1][1]


def test_a_story_that_changes_nothing_is_not_sent_back_twice_for_the_same_reason(rig: Rig) -> None:
    paid = sessions(rig, {}, {}, {}, {})
    run = asyncio.run(rig.run(workflow=DYNAMIC))
    story = asyncio.run(rig.story(run))
    assert run.status is RunStatus.FAILED
    assert [kind for kind, _ in paid][-2:] == ["coding", "coding"]
    result = (
        "not landed (empty) after 1 repair (the same failure came back): step-011 repair ended without changing a file"
    )
    assert story.outcome.reason.startswith(result)
    shown = report(asyncio.run(account(rig.store.events, run.given.run)))
    assert "step-005 sent back (empty): step-005 coding ended without changing a file" in shown


def test_another_profile_may_try_once_before_the_story_fails(rig: Rig) -> None:
    paid = sessions(rig, {}, {}, {}, {})
    rig.others = {"thorough": ScriptedAgent(lambda _: done(write=WORK))}
    run = asyncio.run(rig.run(workflow=SHORT, limits=Limits(escalate="thorough")))
    assert run.status is RunStatus.COMPLETED
    assert [kind for kind, _ in paid] == ["coding", "coding", "final_review"]


def test_a_later_coding_step_comes_before_a_repair(rig: Rig) -> None:
    paid = sessions(rig, {}, WORK)
    steps = (catalogue_step("coding"), catalogue_step("coding"), catalogue_step("final_review"))
    run = asyncio.run(rig.run(workflow=story_workflow(*steps)))
    assert run.status is RunStatus.COMPLETED
    assert [kind for kind, _ in paid] == ["coding", "coding", "final_review"]
    assert not [fact for fact in facts_of(rig, run) if isinstance(fact, story_facts.WorkRefused)]


def test_missing_evidence_is_asked_for_once(rig: Rig) -> None:
    """Whatever the kind of the refusal: after the second time that it says the same, no third session is paid."""
    paid = sessions(rig, WORK, {"more.txt": "1\n"}, {"more.txt": "2\n"}, {"more.txt": "3\n"})
    run = ran(rig, asked("work.txt exists"), ProofPolicy.CITED, 5)
    refused = [fact.cause for fact in facts_of(rig, run) if isinstance(fact, story_facts.LandingRefused)]
    assert refused == [Refusal.EVIDENCE, Refusal.EVIDENCE]
    assert [kind for kind, _ in paid].count("coding") == 2


def test_gates_that_fail_the_same_way_send_the_work_back_once(rig: Rig) -> None:
    """A workflow may route a red gate back to the coding step: the same failure is not routed twice."""
    red = Gate(name="red", command="echo it is red; exit 1")
    check = StepPlan(
        name="check",
        type="check",
        kind=StepKind.GATE,
        commands=(red,),
        routes=(Route(value="failed", target="coding", back=True), Route(value="passed")),
    )
    coding = catalogue_step("coding", max_retries=4)
    paid = sessions(rig, WORK, {"more.txt": "1\n"}, {"more.txt": "2\n"}, {"more.txt": "3\n"})
    run = asyncio.run(rig.run(workflow=story_workflow(coding, check)))
    assert run.status is RunStatus.FAILED
    assert [kind for kind, _ in paid] == ["coding", "coding"]
    assert "failed in the same way" in asyncio.run(rig.story(run)).outcome.reason


def test_a_story_without_a_coding_step_is_refused_at_its_landing_and_repaired(rig: Rig) -> None:
    paid = sessions(rig, WORK)
    run = asyncio.run(rig.run(workflow=story_workflow(catalogue_step("review"))))
    assert run.status is RunStatus.COMPLETED
    assert [kind for kind, _ in paid] == ["review", "coding"]
    (refused,) = (fact for fact in facts_of(rig, run) if isinstance(fact, story_facts.LandingRefused))
    assert (refused.cause, "nothing in the repository has changed" in refused.detail) == (Refusal.EMPTY, True)
