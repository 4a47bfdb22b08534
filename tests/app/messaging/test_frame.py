"""Steps before and after the stories: plan, work on what was planned, look at the whole."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.replies import Reply, Word, reply
from shiftwork.app.commands.runs import Order, cancel_run, start_run, wait_for
from shiftwork.app.views.export import export
from shiftwork.app.views.history import account
from shiftwork.app.views.story_list import roll
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, StoryId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryStatus
from shiftwork.domain.workflow.workflow import Exhausted, Route, StepKind, StepPlan, Workflow, catalogue_step
from shiftwork.planning.desugar import failure_route
from shiftwork.ports.agent import AgentTask, Ending
from tests.app.reported import report_of
from tests.app.rig import LANDING, Rig, done, kinds

PLAN = StepPlan(name="plan", type="plan", input="Plan {{task}}", expects="STORIES_JSON", plans=True)
LOOP = StepPlan(name="work", type="stories", kind=StepKind.LOOP, body=(catalogue_step("coding"),))
WORKFLOW = Workflow(id="framed", version=1, steps=(PLAN, LOOP, StepPlan(name="polish", type="polish")))

type Script = Callable[[AgentTask], Turn]


def stories(*names: str) -> str:
    listed = [{"id": name, "title": f"Story {name}", "acceptanceCriteria": ["a file is there"]} for name in names]
    return json.dumps(listed)


def planning(*names: str, **special: list[Turn]) -> Script:
    """Plans these stories, writes a file for each, and one at the end."""
    waiting = {kind: list(turns) for kind, turns in special.items()}

    def script(task: AgentTask) -> Turn:
        kind, story = task.env["SHIFTWORK_STEP_TYPE"], task.env["SHIFTWORK_STORY"]
        if waiting.get(kind):
            return waiting[kind].pop(0)
        match kind:
            case "plan":
                answer = f"STATUS: done\nSTYLE: calm\nSTORIES_JSON: {stories(*names)}\nSUMMARY:\nplanned\n"
                return Turn(answer=answer, write={"scribble.txt": "not for the base\n"})
            case "coding":
                return done(f"wrote {story}", write={f"{story}.txt": f"{story}\n", "work.txt": "work\n"})
            case _:
                return done("polished", write={"polish.txt": "polish\n"})

    return script


def test_planned_stories_are_worked_on_and_the_steps_after_them_see_what_landed(rig: Rig) -> None:
    rig.script = planning("A-1", "A-2")
    state = asyncio.run(rig.run(workflow=WORKFLOW, parallel=2))
    assert state.status is RunStatus.COMPLETED
    assert set(state.stories) == {"A-1", "A-2"}
    assert sorted(rig.log()) == sorted(["start", "feat: A-1 - Story A-1", "feat: A-2 - Story A-2", "feat: framed"])
    assert rig.log()[0] == "feat: framed", "the last step stands on what the stories have landed"
    rows = asyncio.run(rig.store.queries.stories(state.given.run))
    assert [row.story for row in rows] == [FRAME, "A-1", "A-2"], "what was planned takes the place of what was asked"
    files = rig.list_files()
    assert "scribble.txt" not in files, "what a planner changes is dropped"
    assert {"A-1.txt", "A-2.txt", "polish.txt"} <= set(files)


def test_the_runs_own_steps_are_reported_and_counted_with_its_stories(rig: Rig) -> None:
    rig.script = planning("A-1", plan=[done("planned", answer="no plan")])
    state = asyncio.run(rig.run(workflow=WORKFLOW))
    known = asyncio.run(account(rig.store.events, state.given.run))
    exported = export(known, rig.repo)["stories"]
    assert list(exported) == [FRAME, "A-1"]
    begun = [entry["step_id"] for entry in exported[FRAME]["history"] if entry["action"] == "step_started"]
    assert begun == ["step-001", "step-001", "step-003"], "the loop in between has its own stories"
    assert exported[FRAME]["status"] == "completed"
    rows = asyncio.run(roll(rig.store.queries, rig.store.events, state.given.run))
    assert [(row.story.story, row.depends_on) for row in rows] == [(FRAME, ()), ("A-1", ())]
    message = asyncio.run(report_of(rig.store, state.given.run))
    assert "| stories | 1: 1 landed |" in message
    assert "## \\_run: framed\n\nState: landed." in message


def test_what_the_steps_before_have_set_reaches_the_stories(rig: Rig) -> None:
    rig.script = planning("A-1")
    state = asyncio.run(rig.run(workflow=WORKFLOW))
    story = asyncio.run(rig.story(state, "A-1"))
    assert ("style", "calm") in story.dialogue.context


def test_planned_stories_get_the_typecheck_of_the_project_as_a_criterion(rig: Rig) -> None:
    rig.script = planning("A-1")
    rig.gates = (*rig.gates, Gate(name="typecheck", command="true"))
    state = asyncio.run(rig.run(workflow=WORKFLOW))
    assert state.status is RunStatus.COMPLETED
    planned = asyncio.run(rig.story(state, StoryId("A-1"))).given.story
    assert [criterion.text for criterion in planned.criteria] == ["a file is there", "Typecheck passes"]


def test_a_plan_that_cannot_be_used_is_asked_for_again(rig: Rig) -> None:
    broken = done("planned", answer="STORIES_JSON: [{]\nSUMMARY:\nplanned\n")
    missing = done("planned")
    for spoilt, message in ((broken, "not valid JSON"), (missing, "STORIES_JSON")):
        again = Rig(repo=rig.repo, fake=rig.fake, gates=rig.gates)
        again.script = planning("A-1", plan=[spoilt])
        state = asyncio.run(again.run(workflow=WORKFLOW))
        assert state.status is RunStatus.COMPLETED
        failed = [fact for fact in asyncio.run(again.facts(state, FRAME)) if isinstance(fact, story_facts.StepFailed)]
        assert message in failed[0].error
        rig.project.set_branch("main", "main~2")


def test_a_story_that_fails_fails_the_loop_and_with_it_the_run(rig: Rig) -> None:
    crash = Turn(ending=Ending.CRASHED, detail="no")
    rig.script = planning("A-1", "A-2", coding=[crash, crash, crash, crash])
    state = asyncio.run(rig.run(workflow=WORKFLOW))
    assert state.status is RunStatus.FAILED
    frame = asyncio.run(rig.story(state, FRAME))
    assert frame.status is StoryStatus.FAILED
    assert "not landed: A-1, A-2" in frame.outcome.reason
    assert frame.pipeline.steps[1].attempts == 1
    assert state.frame.failure == frame.outcome.reason


def test_a_story_of_the_loop_is_tried_again_before_it_fails(rig: Rig) -> None:
    rig.script = planning("A-1", coding=[Turn(ending=Ending.CRASHED, detail="no")])
    state = asyncio.run(rig.run(workflow=WORKFLOW))
    assert state.status is RunStatus.COMPLETED
    assert [step.attempts for step in asyncio.run(rig.story(state, "A-1")).pipeline.steps] == [2]
    assert asyncio.run(rig.story(state, FRAME)).pipeline.steps[1].attempts == 1, "the loop itself goes on"


def test_a_loop_without_a_story_to_work_on_is_done_at_once(rig: Rig) -> None:
    async def scenario() -> RunState:
        rig.script = planning(polish=[done("polished", write={"work.txt": "polish\n"})])
        steps = (LOOP, StepPlan(name="polish", type="polish"))
        order = Order(
            spec=one_shot("Add work.txt"),
            workflow=Workflow(id="framed", version=1, steps=steps),
            branch="main",
            landing=LANDING,
            agent="scripted",
            done=frozenset({StoryId("US-001")}),
        )
        async with rig.open() as context:
            run = await start_run(context, order)
            return await asyncio.wait_for(wait_for(context, run), timeout=60)

    state = asyncio.run(scenario())
    assert state.status is RunStatus.COMPLETED
    assert not any(isinstance(fact, run_facts.StoryDispatched) for fact in asyncio.run(rig.facts(state, "")))
    frame = asyncio.run(rig.story(state, FRAME))
    assert [step.status.value for step in frame.pipeline.steps] == ["completed", "completed"]


def test_a_frame_that_fails_before_its_stories_begins_none(rig: Rig) -> None:
    rig.script = planning("A-1", plan=[done("no plan"), done("no plan")])
    state = asyncio.run(rig.run(workflow=WORKFLOW))
    assert state.status is RunStatus.FAILED
    assert {known.status for known in state.stories.values()} == {StoryStatus.UNCLAIMED}
    assert rig.log() == ["start"]


def test_a_person_is_asked_about_the_runs_own_steps_and_answers_under_their_id(rig: Rig) -> None:
    plan = replace(PLAN, exhausted=Exhausted.ASK)
    rig.script = planning("A-1", plan=[done("no plan"), done("no plan")])

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await rig.start(context, workflow=replace(WORKFLOW, steps=(plan, *WORKFLOW.steps[1:])))
            await rig.until(lambda: any(isinstance(sighting.what, run_facts.StoryWaits) for sighting in rig.seen))
            answer = Reply(run=run, story=FRAME, word=Word.ANSWER, text="one story will do")
            await reply(context.events, context.inbox, answer)
            return await asyncio.wait_for(wait_for(context, run), timeout=60)

    state = asyncio.run(scenario())
    assert state.status is RunStatus.COMPLETED
    assert asyncio.run(rig.story(state, FRAME)).pipeline.steps[0].attempts == 3


def test_work_before_the_stories_lands_before_they_begin(rig: Rig) -> None:
    setup = StepPlan(name="setup", type="setup")
    rig.script = planning("A-1", setup=[done("set up", write={"setup.txt": "1\n", "work.txt": "1\n"})])
    state = asyncio.run(rig.run(workflow=Workflow(id="framed", version=1, steps=(PLAN, setup, LOOP))))
    assert state.status is RunStatus.COMPLETED
    assert rig.log() == ["feat: A-1 - Story A-1", "feat: framed", "start"]
    assert "WorkRenewed" in kinds(asyncio.run(rig.facts(state, FRAME)))


def test_work_before_the_stories_that_fails_the_gates_is_repaired_first(rig: Rig) -> None:
    setup = StepPlan(name="setup", type="setup")
    rig.script = planning("A-1", setup=[done("set up", write={"setup.txt": "1\n"})])
    state = asyncio.run(rig.run(workflow=Workflow(id="framed", version=1, steps=(PLAN, setup, LOOP))))
    assert state.status is RunStatus.COMPLETED
    assert rig.log() == ["feat: A-1 - Story A-1", "feat: framed", "start"]
    assert asyncio.run(rig.story(state, FRAME)).landing.attempts_at_repair == (1, 0), (
        "it is reported though it no longer counts"
    )


def test_a_loop_may_come_first(rig: Rig) -> None:
    rig.script = planning()
    steps = (LOOP, StepPlan(name="polish", type="polish"))
    state = asyncio.run(rig.run(workflow=Workflow(id="framed", version=1, steps=steps)))
    assert state.status is RunStatus.COMPLETED
    assert rig.log() == ["feat: framed", "feat: Add work.txt", "start"]


def test_what_a_review_of_the_whole_finds_becomes_a_story(rig: Rig) -> None:
    review = StepPlan(
        name="review",
        type="review_all",
        decision_key="decision",
        routes=(Route(value="approved"), Route(value="rejected", target="work", back=True)),
    )
    rejected = Turn(answer="DECISION: rejected\nISSUES: the docs are missing\nSUMMARY:\nlooked\n")
    approved = Turn(answer="DECISION: approved\nSUMMARY:\nlooked\n")
    rig.script = planning("A-1", review_all=[rejected, approved])
    state = asyncio.run(rig.run(workflow=Workflow(id="framed", version=1, steps=(PLAN, LOOP, review))))
    assert state.status is RunStatus.COMPLETED
    assert list(state.stories) == ["A-1", "FIX-001"]
    assert "the docs are missing" in state.asked(StoryId("FIX-001")).description


def test_on_fail_of_a_step_after_the_loop_leads_back_to_the_loop(rig: Rig) -> None:
    """As antfarm's files have it: `STATUS: retry`, and no decision."""
    look = StepPlan(name="test", type="test_all", input="Try it.", routes=(failure_route(StepKind.AGENT, "work"),))
    bad, good = Turn(answer="STATUS: retry\nISSUES: it smells"), Turn(answer="STATUS: done\nRESULTS: fine")
    rig.script = planning("A-1", test_all=[bad, good])
    state = asyncio.run(rig.run(workflow=Workflow(id="framed", version=1, steps=(PLAN, LOOP, look))))
    assert state.status is RunStatus.COMPLETED
    assert list(state.stories) == ["A-1", "FIX-001"]
    assert "it smells" in state.asked(StoryId("FIX-001")).description
    frame = asyncio.run(rig.story(state, FRAME))
    assert [(step.plan.name, step.attempts, step.retries) for step in frame.pipeline.steps] == [
        ("plan", 1, 0),
        ("work", 2, 1),
        ("test", 2, 0),
    ]


@pytest.mark.parametrize(
    "halt", [story_facts.LoopBegun, run_facts.LoopOpened, run_facts.StoryDispatched, run_facts.LoopClosed]
)
def test_a_framed_run_is_resumed_wherever_its_process_died(rig: Rig, halt: type[Fact]) -> None:
    async def scenario() -> None:
        rig.script = planning("A-1")
        async with rig.open() as context:
            run = await rig.start(context, workflow=WORKFLOW)
            await rig.until(lambda: any(isinstance(sighting.what, halt) for sighting in rig.seen))
        state = await rig.carried_on(run)
        assert state.status is RunStatus.COMPLETED

    asyncio.run(scenario())
    assert rig.log() == ["feat: framed", "feat: A-1 - Story A-1", "start"]


def test_cancelling_ends_the_steps_of_the_run_itself(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = planning("A-1", plan=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=WORKFLOW)
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StepStarted) for sighting in rig.seen))
            await cancel_run(context.inbox, run)
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
        assert state.status is RunStatus.CANCELLED

    asyncio.run(scenario())
