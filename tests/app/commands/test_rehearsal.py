"""The prompt that a rehearsal shows is the first prompt that a run sends."""

import asyncio

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.dry_run import rehearse
from shiftwork.app.commands.runs import Order
from shiftwork.app.runtime.context import WorkPolicy
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.spec.spec import Spec, Story, one_shot
from shiftwork.domain.workflow.workflow import DYNAMIC, StepKind, StepPlan, Workflow
from shiftwork.ports.agent import AgentTask
from shiftwork.records import replace
from tests.app.rig import LANDING, Rig, done

WORK_POLICY = WorkPolicy(gates=(Gate(name="test", command="true"),))


def order(spec: Spec, workflow: Workflow = DYNAMIC, **more: object) -> Order:
    given = {"branch": "main", "landing": LANDING, "agent": "scripted", **more}
    return Order(spec=spec, workflow=workflow, **given)  # type: ignore[arg-type]


def story(name: str, *needs: str) -> Story:
    return Story(id=StoryId(name), title=name, description="", depends_on=tuple(StoryId(need) for need in needs))


def test_only_what_would_begin_at_once_is_shown() -> None:
    spec = Spec(title="t", description="", stories=(story("A"), story("B"), story("C", "A"), story("D")))
    lines = rehearse(order(spec, parallel=2, done=frozenset({StoryId("D")})), WORK_POLICY, tools=True)
    assert [(line.story, line.step) for line in lines] == [("A", "context_gathering"), ("B", "context_gathering")]
    assert "Story A: A" in lines[0].prompt


def test_steps_that_no_agent_does_have_no_prompt() -> None:
    gate = Workflow(id="w", version=1, steps=(StepPlan(name="check", type="check", kind=StepKind.GATE),))
    (line,) = rehearse(order(one_shot("Do it"), gate), WORK_POLICY, tools=False)
    assert (line.kind, line.prompt) == (StepKind.GATE, "")


def test_what_earlier_runs_have_learnt_is_in_the_prompt() -> None:
    (line,) = rehearse(order(one_shot("Do it"), patterns=("All dates are UTC",)), WORK_POLICY, tools=True)
    assert "All dates are UTC" in line.prompt


def test_the_project_and_the_feature_are_named() -> None:
    policy = WorkPolicy(project="shop")
    (line,) = rehearse(order(Spec(title="Pay by card", description="", stories=(story("A"),))), policy, tools=True)
    assert "- Project: shop\n- Feature: Pay by card\n" in line.prompt
    spec = Spec(title="Pay by card", description="", stories=(story("A"),), project="Corner shop")
    (line,) = rehearse(order(spec), policy, tools=True)
    assert "- Project: Corner shop\n- Feature: Pay by card\n" in line.prompt


def test_a_run_sends_what_was_shown_but_for_its_paths(rig: Rig) -> None:
    sent: list[str] = []

    def script(task: AgentTask) -> Turn:
        sent.append(task.prompt)
        return done(write={"work.txt": "work\n"})

    rig.script = script
    asked = replace(one_shot("Add work.txt"), project="Corner shop")
    asyncio.run(rig.run(asked))
    (line,) = rehearse(order(asked), WorkPolicy(gates=rig.gates), tools=False)
    shown, real = line.prompt.splitlines(), sent[0].splitlines()
    differing = [(name, other) for name, other in zip(shown, real, strict=False) if name != other]
    assert all(str(rig.repo.parent) in other for _, other in differing)
    assert len(differing) <= 2
    assert "- Project: Corner shop" in real
