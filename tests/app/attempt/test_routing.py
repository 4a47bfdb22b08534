"""Routes in one process: how an agent, the gates or a profile decide the path through a pipeline."""

import asyncio
from dataclasses import replace

import pytest

from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.app.folds import STORY, load
from shiftwork.app.runtime.context import job_of
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId, run_stream, step_id, story_stream
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.workflow.workflow import AgentPlan, Route, StepKind, StepPlan
from shiftwork.planning.desugar import verify_each, with_route
from shiftwork.ports.agent import AgentTask
from tests.app.rig import Rig, kinds, story_workflow

IMPLEMENT, VERIFY = verify_each(
    StepPlan(name="implement", type="implement", input="Issues: {{verify_feedback}}", expects="STATUS: done"),
    StepPlan(name="verify", type="verify", input="Look at: {{changes}}", expects="STATUS: done"),
)


def answered(text: str, **more: object) -> Turn:
    return replace(Turn(answer=text), **more)  # type: ignore[arg-type]


WORKED = answered("STATUS: done\nCHANGES: {{task}}", write={"work.txt": "work\n"})


class Team:
    """Answers by the type of the step, one after the other, and keeps the prompts."""

    def __init__(self, **turns: list[Turn]) -> None:
        self.turns = turns
        self.prompts: list[str] = []

    def script(self, task: AgentTask) -> Turn:
        self.prompts.append(task.prompt)
        left = self.turns[task.env["SHIFTWORK_STEP_TYPE"]]
        return left.pop(0) if len(left) > 1 else left[0]


def test_a_verifier_sends_the_work_back_with_its_issues_and_then_lets_it_land(rig: Rig) -> None:
    team = Team(
        implement=[WORKED],
        verify=[answered("STATUS: retry\nISSUES: no tests"), answered("STATUS: done\nVERIFIED: all")],
    )
    rig.script = team.script
    run = asyncio.run(rig.run(workflow=story_workflow(IMPLEMENT, VERIFY)))
    assert run.status is RunStatus.COMPLETED
    facts = asyncio.run(rig.facts(run))
    routed = [fact for fact in facts if isinstance(fact, story_facts.StepRouted)]
    assert [(fact.value, fact.target, fact.back) for fact in routed] == [
        ("retry", step_id(1), True),
        ("done", "", False),
    ]
    assert "Issues: ISSUES: no tests\n" in team.prompts[2]
    assert "Look at: {{task}}\n" in team.prompts[1], "an agent's words are never a template"
    assert kinds(facts).count("StepStarted") == 4


@pytest.mark.parametrize("halt", [story_facts.StepCompleted, story_facts.StepRouted])
def test_a_decision_is_followed_once_wherever_the_process_died(rig: Rig, halt: type[Fact]) -> None:
    team = Team(implement=[WORKED], verify=[answered("STATUS: retry\nISSUES: no tests"), answered("STATUS: done")])
    rig.script = team.script
    wanted = 2 if halt is story_facts.StepCompleted else 1

    def decided() -> bool:
        return sum(isinstance(sighting.what, halt) for sighting in rig.seen) == wanted

    async def scenario() -> RunState:
        async with rig.open() as context:
            rig.end_job_at(lambda _: decided())
            run = await rig.start(context, workflow=story_workflow(IMPLEMENT, VERIFY))
            await rig.until(decided)
        return await rig.carried_on(run)

    run = asyncio.run(scenario())
    assert run.status is RunStatus.COMPLETED
    routed = [fact.value for fact in asyncio.run(rig.facts(run)) if isinstance(fact, story_facts.StepRouted)]
    assert routed == ["retry", "done"]
    assert asyncio.run(rig.story(run)).pipeline.steps[0].retries == 1


def test_an_answer_that_decides_nothing_is_asked_for_again_with_what_it_may_say(rig: Rig) -> None:
    team = Team(implement=[WORKED], verify=[answered("STATUS: perhaps"), answered("STATUS: done")])
    rig.script = team.script
    run = asyncio.run(rig.run(workflow=story_workflow(IMPLEMENT, VERIFY)))
    assert run.status is RunStatus.COMPLETED
    assert "> STATUS: 'perhaps' is not one of done, retry\n" in team.prompts[2]


def test_a_verifier_that_is_never_content_fails_the_story(rig: Rig) -> None:
    rig.script = Team(implement=[WORKED], verify=[answered("STATUS: retry\nISSUES: no tests")]).script
    run = asyncio.run(rig.run(workflow=story_workflow(IMPLEMENT, VERIFY)))
    assert run.status is RunStatus.FAILED
    story = asyncio.run(rig.story(run))
    assert "which is its limit: ISSUES: no tests" in story.outcome.reason


def test_an_own_answer_that_says_retry_and_leads_nowhere_fails_its_attempt(rig: Rig) -> None:
    team = Team(implement=[answered("STATUS: retry\nISSUES: cannot"), WORKED])
    rig.script = team.script
    run = asyncio.run(rig.run(workflow=story_workflow(IMPLEMENT)))
    assert run.status is RunStatus.COMPLETED
    (failed,) = (fact for fact in asyncio.run(rig.facts(run)) if isinstance(fact, story_facts.StepFailed))
    assert (failed.trouble, failed.error) == (story_facts.Trouble.REJECTED, "ISSUES: cannot")


def gate_step(*routes: Route) -> StepPlan:
    commands = (Gate(name="good", command="grep -q good work.txt"),)
    return StepPlan(name="gate", type="gate", kind=StepKind.GATE, commands=commands, routes=routes)


def test_a_red_gate_of_the_step_itself_leads_back_with_its_output(rig: Rig) -> None:
    good = answered("STATUS: done", write={"work.txt": "good\n"})
    team = Team(implement=[WORKED, good])
    rig.script = team.script
    gate = gate_step(Route(value="failed", target="implement", back=True))
    run = asyncio.run(rig.run(workflow=story_workflow(IMPLEMENT, gate)))
    assert run.status is RunStatus.COMPLETED
    assert "Issues: gate good failed:" in team.prompts[1]
    ended = [fact for fact in asyncio.run(rig.facts(run)) if isinstance(fact, story_facts.StepCompleted)]
    assert [fact.decision for fact in ended] == ["", "failed", "", "passed"]


def test_a_red_gate_without_a_route_fails_its_step(rig: Rig) -> None:
    rig.script = Team(implement=[WORKED]).script
    run = asyncio.run(rig.run(workflow=story_workflow(IMPLEMENT, replace(gate_step(), max_retries=0))))
    assert run.status is RunStatus.FAILED
    assert kinds(asyncio.run(rig.facts(run))).count("StepFailed") == 1


def test_each_role_has_its_profile_and_model_and_others_the_runs(rig: Rig) -> None:
    seen: list[tuple[str, str, str]] = []

    def playing(profile: str) -> ScriptedAgent:
        def script(task: AgentTask) -> Turn:
            seen.append((task.env["SHIFTWORK_STEP_TYPE"], profile, task.model))
            return WORKED

        return ScriptedAgent(script)

    agents = (
        AgentPlan(id="dev", profile="strong", model="large"),
        AgentPlan(id="look", profile="unknown"),
        AgentPlan(id="third"),
        AgentPlan(id="quick", profile="quick"),
    )
    steps = (
        replace(IMPLEMENT, agent="dev"),
        with_route(replace(VERIFY, agent="look"), Route(value="x")),
        StepPlan(name="more", type="more", input="More.", agent="third"),
        StepPlan(name="last", type="last", input="Last."),
        StepPlan(name="dash", type="dash", input="Dash.", agent="quick"),
    )
    workflow = replace(story_workflow(*steps), agents=agents)

    async def scenario() -> None:
        async with rig.open() as context:
            context.agents["strong"] = playing("strong")  # type: ignore[index]
            context.agents["quick"] = playing("quick")  # type: ignore[index]
            context.work_policy.models["quick"] = "small"  # type: ignore[index]
            context.agents["scripted"] = playing("usual")  # type: ignore[index]
            run = await rig.start(context, workflow=workflow)
            stream = story_stream(run, StoryId("US-001"))
            await context.engine.join(job_of(run_stream(run)))
            assert (await load(context.events, STORY, stream)).landed_commit

    asyncio.run(scenario())
    assert seen == [
        ("implement", "strong", "large"),
        ("verify", "usual", ""),
        ("more", "usual", ""),
        ("last", "usual", ""),
        ("dash", "quick", "small"),
    ]
