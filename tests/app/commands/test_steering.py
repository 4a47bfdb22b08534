"""Other kinds of steps, limits, cancelling, resuming, and unexpected errors."""

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.runs import cancel_run, raise_limits, resume_run, wait_for
from shiftwork.app.messaging import messages
from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import RunId, StepId, StoryId, run_stream, story_stream
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import Criterion, Spec, Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, HoldCause, StoryStatus
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.workflow import Exhausted, StepKind, StepPlan, catalogue_step
from shiftwork.errors import BranchGoneError, RepositoryError, RunBusyError, UnknownRunError
from shiftwork.ports.agent import AgentTask, Ending
from tests.app.rig import SHORT, Rig, done, honest, kinds, story_workflow


def test_a_gate_step_checks_the_work_so_far(rig: Rig) -> None:
    async def scenario() -> None:
        gate = StepPlan(name="check", type="check", kind=StepKind.GATE, description="check", max_retries=0)
        run = await rig.run(workflow=story_workflow(catalogue_step("coding"), gate))
        story = await rig.story(run)
        assert story.pipeline.steps[1].notes == "gates passed: test"
        red = story_workflow(gate, catalogue_step("coding"))
        rig.gates = (Gate(name="never", command="exit 1"),)
        failed = await rig.run(workflow=red)
        assert "gate never failed" in (await rig.story(failed)).outcome.reason

    asyncio.run(scenario())


def test_an_approval_step_waits_for_a_person(rig: Rig) -> None:
    async def scenario() -> None:
        approve = StepPlan(name="ok", type="ok", kind=StepKind.APPROVAL, description="Ship it?", max_retries=0)
        async with rig.open() as context:
            run = await rig.start(context, workflow=story_workflow(catalogue_step("coding"), approve))
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StoryHeld) for sighting in rig.seen))
            held = await rig.story(run)
            assert held.waiting.hold is not None
            assert held.waiting.hold.cause is HoldCause.APPROVAL
            stream = story_stream(run, StoryId("US-001"))
            await messages.send(
                context.inbox, stream, "answer", story_facts.StoryReleased(at=0, granted=True, answer="ship it")
            )
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert state.status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_step_that_asks_when_exhausted_can_be_allowed_to_continue(rig: Rig) -> None:
    async def scenario() -> None:
        coding = replace(catalogue_step("coding", max_retries=0), exhausted=Exhausted.ASK)
        rig.script = honest(coding=[Turn(ending=Ending.CRASHED)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=story_workflow(coding))
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StoryHeld) for sighting in rig.seen))
            stream = story_stream(run, StoryId("US-001"))
            await messages.send(context.inbox, stream, "noise", story_facts.StoryUnpaused(at=0))
            await messages.send(
                context.inbox, stream, "answer", story_facts.StoryReleased(at=0, granted=True, answer="try again")
            )
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert state.status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_limit_stops_the_story_until_it_is_raised(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(usage=Usage(cost_usd=2.0), write={"work.txt": "w"})])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT, limits=Limits(story=Budget(usd=1.0)))
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StoryHeld) for sighting in rig.seen))
            held = await rig.story(run)
            assert held.waiting.hold is not None
            assert held.waiting.hold.detail == "the story has spent 2.00 of 1.00 USD"
            await raise_limits(context.inbox, run, "1", Limits(story=Budget(usd=5.0)))
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert state.status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_run_whose_branch_is_called_something_else_says_how_to_continue(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StepStarted) for sighting in rig.seen))
        rig.script = honest()
        rig.project.rename_branch("main", "away")
        async with rig.open() as context:
            await resume_run(context, run)
            with pytest.raises(BranchGoneError, match=f"run {run} lands on main") as exception_info:
                await asyncio.wait_for(wait_for(context, run), timeout=60)
        assert (
            exception_info.value.hint
            == f"if it was renamed to NEW: git branch -m NEW main; then: shiftwork resume {run}"
        )
        rig.project.rename_branch("away", "main")
        async with rig.open() as context:
            await resume_run(context, run)
            assert (await asyncio.wait_for(wait_for(context, run), timeout=60)).status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_cancelling_ends_the_attempt_and_lands_nothing(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StepStarted) for sighting in rig.seen))
            stream = story_stream(run, StoryId("US-001"))
            await messages.send(context.inbox, stream, "noise", story_facts.StoryUnpaused(at=0))
            await cancel_run(context.inbox, run)
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert state.status is RunStatus.CANCELLED
            assert (await rig.story(run)).outcome.cause is FailureCause.CANCELLED

    asyncio.run(scenario())
    assert rig.log() == ["start"]


def test_a_process_that_is_closed_in_the_middle_can_be_resumed(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60, write={"half.txt": "half"})])
        async with rig.open() as context:
            run = await rig.start(context)
            await rig.at_work("step-005")
        assert (await rig.story(run)).status is StoryStatus.IN_PROGRESS
        async with rig.open() as context:
            await resume_run(context, run)
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
        assert state.status is RunStatus.COMPLETED
        facts = await rig.facts(run)
        started = [fact.step for fact in facts if isinstance(fact, story_facts.StepStarted)]
        assert started.count(StepId("step-005")) == 2
        assert len(started) == 11, "finished steps did not run again"
        assert "StepInterrupted" in kinds(facts)

    asyncio.run(scenario())
    assert rig.log() == ["feat: Add work.txt", "start"]


def test_a_run_continues_from_the_history_alone(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.at_work()
        state = await rig.carried_on(run)
        assert state.status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_resuming_refuses_what_others_work_on_and_what_is_unknown(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            async with rig.open() as other:
                with pytest.raises(RunBusyError, match="is being worked on by process"):
                    await resume_run(other, run)
                with pytest.raises(RunBusyError):
                    await resume_run(other, run)
                with pytest.raises(UnknownRunError):
                    await resume_run(other, RunId("nope"))
            await cancel_run(context.inbox, run)
            ended = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert (await resume_run(context, run)).status is ended.status

    asyncio.run(scenario())


def test_a_run_of_another_project_is_unknown_and_stays_as_it_is(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
        before = await rig.store.events.read(run_stream(run))
        async with rig.open() as context:
            with pytest.raises(UnknownRunError, match=f"there is no run {run}"):
                await resume_run(replace(context, project="other"), run)
        assert await rig.store.events.read(run_stream(run)) == before
        assert [row.project for row in await rig.store.queries.runs()] == ["test"]

    asyncio.run(scenario())


def test_a_missing_branch_is_refused_before_anything_is_recorded(rig: Rig) -> None:
    async def scenario() -> None:
        rig.project.rename_branch("main", "elsewhere")
        async with rig.open() as context:
            with pytest.raises(RepositoryError):
                await rig.start(context)
        assert list(await rig.store.queries.runs()) == []

    asyncio.run(scenario())


def test_stories_run_in_the_order_of_their_dependencies(rig: Rig) -> None:
    def story(name: str, *needs: str) -> Story:
        return Story(
            id=StoryId(name),
            title=name,
            description=name,
            criteria=(Criterion(id="AC-1", text=name),),
            depends_on=tuple(StoryId(need) for need in needs),
        )

    spec = Spec(title="t", description="d", stories=(story("B", "A"), story("A"), story("C", "X"), story("X")))

    def script(task: AgentTask) -> Turn:
        name = task.env["SHIFTWORK_STORY"]
        if name == "X":
            return Turn(ending=Ending.CRASHED)
        return done(write={f"{name}.txt": name} if task.env["SHIFTWORK_STEP_TYPE"] == "coding" else {})

    async def scenario() -> None:
        rig.script = script
        rig.gates = ()
        run = await rig.run(spec, workflow=SHORT)
        assert run.status is RunStatus.FAILED
        assert run.stories[StoryId("C")].status is StoryStatus.BLOCKED
        rows = await rig.store.queries.stories(run.given.run)
        assert [row.story for row in rows] == ["B", "A", "C", "X"]

    asyncio.run(scenario())
    assert rig.log() == ["feat: B - B", "feat: A - A", "start"]


def test_a_workspace_that_cannot_be_made_fails_the_story(rig: Rig) -> None:
    async def scenario() -> None:
        blocked = rig.trees
        blocked.parent.mkdir(exist_ok=True)
        blocked.write_text("in the way")
        run = await rig.run(workflow=SHORT)
        assert (await rig.story(run)).outcome.cause is FailureCause.WORKSPACE

    asyncio.run(scenario())


def test_an_agent_that_removes_its_workspace_fails_and_the_next_attempt_gets_another(rig: Rig) -> None:
    trees: list[Path] = []
    works = honest()

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding":
            trees.append(task.workdir)
            if len(trees) == 1:
                shutil.rmtree(task.workdir)
                return done()
        return works(task)

    rig.script = script
    run = asyncio.run(rig.run(workflow=SHORT))
    assert run.status is RunStatus.COMPLETED
    assert len(set(trees)) == 2


def test_another_writer_is_noticed_and_followed(rig: Rig) -> None:
    """A fact that another process appends between two decisions is folded in, not overwritten."""

    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=0.5, write={"work.txt": "w"})])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StepStarted) for sighting in rig.seen))
            stream = story_stream(run, StoryId("US-001"))
            note = story_facts.NoteWritten(at=0.0, by=StepId("step-001"), text="from elsewhere")
            version = await context.events.version(stream)
            await context.events.append(stream, (note,), expected=version, key="elsewhere")
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert state.status is RunStatus.COMPLETED
            assert [note.text for note in (await rig.story(run)).dialogue.notes.all] == ["from elsewhere"]

    asyncio.run(scenario())
