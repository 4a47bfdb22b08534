"""People who edit the steps of a story: while it runs, while it waits, and before it starts."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands import step_edits
from shiftwork.app.commands.intents import ask
from shiftwork.app.commands.step_edits import Wanted, applied
from shiftwork.app.views.history import account
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, catalogue_step
from shiftwork.errors import IntentError
from shiftwork.ports.agent import AgentTask
from shiftwork.testing.builders import asked
from tests.app.attempt.test_questions import BLOCKED, held
from tests.app.commands.step_edit_rig import (
    ENDLESS,
    FIRST,
    REVIEWED,
    SLOW,
    ended,
    listed,
    refused,
    requested,
    started_steps,
)
from tests.app.reported import report
from tests.app.rig import SHORT, Rig, done, honest, kinds, story_workflow

# While a step runs ---------------------------------------------------------------------------------------------------


def test_edits_during_a_step_take_effect_when_it_has_ended(rig: Rig) -> None:
    rig.script = honest(coding=[SLOW])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=REVIEWED)
            await rig.at_work("step-001")
            skipped = await requested(context, run, step_edits.skip("prune_tests", "few tests"))
            assert skipped.running is not None
            assert skipped.running.id == "step-001"
            assert not await applied(context.events, skipped, 0.0)
            added = await requested(context, run, step_edits.add("coding", "The docs too", ""))
            moved = await requested(context, run, step_edits.describe("review", "Look at the docs"))
            assert (await listed(rig, run)).requested == (
                "skip step-003: few tests",
                "add_after step-001 coding (The docs too): a person asked for it",
                "edit_description step-002 Look at the docs: a person asked for it",
            )
            assert (await ended(context, run)).status is RunStatus.COMPLETED
            for request in (skipped, added, moved):
                assert await applied(context.events, request, 1.0)
        assert await started_steps(rig, run) == ["step-001", "step-005", "step-002", "step-004"]
        edits = [fact for fact in await rig.facts(run) if isinstance(fact, story_facts.WorkflowEdited)]
        assert [fact.by for fact in edits] == ["person"] * 3
        steps = (await listed(rig, run)).steps
        assert [step.added_by for step in steps] == ["workflow", "person", "workflow", "workflow", "workflow"]
        assert (steps[2].description, steps[3].outcome) == ("Look at the docs", "few tests")
        assert (await listed(rig, run)).requested == ()

    asyncio.run(scenario())


def test_a_name_is_meant_before_a_type(rig: Rig) -> None:
    rig.script = honest(coding=[SLOW])
    first = replace(catalogue_step("coding"), name="sizing")
    steps = story_workflow(first, catalogue_step("coding"), catalogue_step("final_review"))

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=steps)
            await rig.at_work("step-001")
            await requested(context, run, step_edits.describe("coding", "The docs too"))
            (edit,) = (await listed(rig, run)).requested
            assert edit.startswith("edit_description step-002 The docs too")
            await ended(context, run)

    asyncio.run(scenario())


def test_a_restart_ends_the_running_attempt_and_starts_the_step_from_its_commit(rig: Rig) -> None:
    prompts: list[str] = []
    turns = [ENDLESS]

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] != "coding":
            return done()
        prompts.append(task.prompt)
        (task.workdir / f"attempt-{len(prompts)}.txt").write_text("changed\n")
        return turns.pop(0) if turns else done(write={"work.txt": "work\n"})

    async def scenario() -> None:
        rig.script = script
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.at_work("step-001")
            restart = await requested(context, run, step_edits.restart("coding", "wrong file", "Write work.txt"))
            assert restart.running is None
            assert await applied(context.events, restart, 20.0)
            assert (await ended(context, run)).status is RunStatus.COMPLETED
        facts = await rig.facts(run)
        (cut,) = [fact for fact in facts if isinstance(fact, story_facts.StepInterrupted)]
        assert cut.restarted
        assert "attempt-1.txt" in Path(cut.diff).read_text()
        step = (await rig.story(run)).pipeline.steps[0]
        assert (step.attempts, step.restarts, step.retries) == (2, 1, 0)
        text = report(await account(context.events, run))
        assert "step-001 attempt 1 was restarted by a person" in text
        assert "person: restarted step-001 (Write work.txt): wrong file" in text

    asyncio.run(scenario())
    assert "A person restarted this step: wrong file" in prompts[1]
    assert "Write work.txt" in prompts[1]
    assert "attempt-1.txt" not in rig.list_files()


def test_a_restart_of_another_step_leaves_the_running_attempt_alone(rig: Rig) -> None:
    rig.script = honest(review=[done(pause=0.6)])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=REVIEWED)
            await rig.at_work("step-002")
            why, hint = await refused(context, run, step_edits.restart("coding", "again"))
            assert why == "not done: step-001 is completed; only the step that runs now can be restarted"
            assert hint == f"shiftwork steps US-001 --run {run}"
            await ended(context, run)
        assert "StepInterrupted" not in kinds(await rig.facts(run))

    asyncio.run(scenario())


@pytest.mark.parametrize("wanted", [step_edits.skip("coding", "r"), step_edits.describe("coding", "otherwise")])
def test_a_running_step_can_only_be_restarted(rig: Rig, wanted: Wanted) -> None:
    rig.script = honest(coding=[SLOW])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.at_work("step-001")
            why, hint = await refused(context, run, wanted)
            assert why == "not done: step-001 is in_progress; only pending steps can be changed"
            assert hint == f"shiftwork steps restart US-001 step-001 --reason … --run {run}"
            await ended(context, run)

    asyncio.run(scenario())


def test_an_agent_and_a_person_edit_at_once_and_the_later_edit_names_the_rule(rig: Rig) -> None:
    """The agent's edit is recorded when its attempt ends, the person's is read after that."""
    skip = {"operation": "skip", "target_step_id": "step-002", "reason": "small"}
    rig.script = honest(coding=[done(edits=[skip], write={"work.txt": "work\n"}, pause=0.6)])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=REVIEWED)
            await rig.at_work("step-001")
            edit = await requested(context, run, step_edits.describe("review", "Look at the docs"))
            assert (await ended(context, run)).status is RunStatus.COMPLETED
            with pytest.raises(IntentError, match="too late: step-002 is skipped; only pending steps can be changed"):
                await applied(context.events, edit, 1.0)
        rejected = "operation 1 (edit_description): step-002 is skipped; only pending steps can be changed"
        assert (await listed(rig, run)).rejected == (f"person: {rejected}",)
        assert f"person: refused, {rejected}" in report(await account(context.events, run)).replace("\\", "")
        scratch = next(rig.state.rglob("scratch_US-001.md")).read_text()
        assert f"person: {rejected}" in scratch

    asyncio.run(scenario())


def test_an_edit_that_a_failing_story_never_read_is_recorded_as_rejected(rig: Rig) -> None:
    rig.script = honest(coding=[ENDLESS])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=REVIEWED)
            await rig.at_work("step-001")
            await ask(
                context.events, context.inbox, run, run_facts.StoryCancellationRequested(at=0, story=FIRST), "cancel"
            )
            late = await requested(context, run, step_edits.skip("review", "small"))
            await ended(context, run)
            with pytest.raises(IntentError, match="too late: the story has ended"):
                await applied(context.events, late, 1.0)
            why, hint = await refused(context, run, step_edits.skip("review", "small"))
        assert why == "US-001 was cancelled: its steps can no longer be edited"
        assert hint == f"shiftwork retry US-001 --run {run}, then edit its steps"

    asyncio.run(scenario())


# Before a story starts, while it waits, and without a process ---------------------------------------------------------


def test_the_steps_of_a_story_that_has_not_started_can_be_edited(rig: Rig) -> None:
    rig.gates = (Gate(name="test", command="true"),)
    rig.script = lambda task: done(write={task.env["SHIFTWORK_STORY"]: "work\n"}, pause=0.3)
    spec = Spec(title="Two", description="Two", stories=(asked(1), asked(2, after=(1,))))

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec, workflow=REVIEWED)
            await rig.at_work("step-001", "US-001")
            before = await listed(rig, run, "US-002")
            assert (before.status, [step.status for step in before.steps]) == ("unclaimed", ["pending"] * 4)
            edit = await requested(context, run, step_edits.skip("prune_tests", "few tests"), "US-002")
            assert (edit.begun, edit.running) == (False, None)
            assert (await ended(context, run)).status is RunStatus.COMPLETED
        steps = (await listed(rig, run, "US-002")).steps
        assert [step.status for step in steps] == ["completed", "completed", "skipped", "completed"]

    asyncio.run(scenario())


def test_a_step_without_a_place_runs_next_but_not_before_the_first(rig: Rig) -> None:
    rig.script = honest(coding=[SLOW])
    spec = Spec(title="Two", description="Two", stories=(asked(1), asked(2, after=(1,))))

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec, workflow=REVIEWED)
            await rig.at_work("step-001", "US-001")
            last = [
                (await requested(context, run, step_edits.add("coding", "more", ""), story)).edit.target
                for story in ("US-001", "US-002", "US-002")
            ]
            await requested(context, run, step_edits.skip("step-002", "r"))
            assert last == ["step-001", "step-001", "step-001"]

    asyncio.run(scenario())


def test_a_step_that_is_added_while_another_waits_runs_before_it(rig: Rig) -> None:
    ask_first = StepPlan(name="sign", type="sign", kind=StepKind.APPROVAL, description="go on?")
    plan = story_workflow(catalogue_step("coding"), ask_first, catalogue_step("review"), catalogue_step("final_review"))

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=plan)
            await held(rig, run)
            added = await requested(context, run, step_edits.add("review", "once more", ""))
            assert added.edit.target == "step-002"
            assert added.running is None, "no agent performs the step that waits"
            assert await applied(context.events, added, 20.0)

    asyncio.run(scenario())


def test_an_edit_is_kept_until_a_process_continues_the_run(rig: Rig) -> None:
    """A story that waits for a person applies it at once; the answer comes later."""
    turns = [BLOCKED]

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding" and turns:
            return turns.pop(0)
        return done(write={"work.txt": "work\n"})

    rig.script = script

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=REVIEWED)
            await held(rig, run)
        async with rig.open() as context:
            kept = await requested(context, run, step_edits.split("review", ("the code", "the docs")))
            assert not await applied(context.events, kept, 0.0)
            assert (await listed(rig, run)).requested
        continued = asyncio.ensure_future(rig.carried_on(run))
        assert await applied(rig.store.events, kept, 20.0)
        continued.cancel()
        await asyncio.gather(continued, return_exceptions=True)
        steps = (await listed(rig, run)).steps
        assert [(step.name, step.description) for step in steps[1:3]] == [
            ("review", "the code"),
            ("review", "the docs"),
        ]

    asyncio.run(scenario())


def test_a_restart_of_a_step_whose_worker_died_is_applied_when_the_run_continues(rig: Rig) -> None:
    """Also if the worker died after it had read that a person restarts the step: the request is still in the inbox."""
    prompts: list[str] = []

    def script(task: AgentTask) -> Turn:
        prompts.append(task.prompt)
        return ENDLESS if len(prompts) == 1 else done(write={"work.txt": "work\n"})

    rig.script = script

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.at_work("step-001")
        async with rig.open() as context:
            order = await requested(context, run, step_edits.restart("step-001", "wrong file"))
        assert (await rig.carried_on(run)).status is RunStatus.COMPLETED
        assert await applied(rig.store.events, order, 0.0)
        (cut,) = [fact for fact in await rig.facts(run) if isinstance(fact, story_facts.StepInterrupted)]
        assert not cut.restarted
        assert (await rig.story(run)).pipeline.steps[0].restarts == 1

    asyncio.run(scenario())
    assert "A person restarted this step: wrong file" in prompts[1]
