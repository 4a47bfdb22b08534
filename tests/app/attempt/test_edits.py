"""Agents that change their own remaining steps."""

import asyncio
from pathlib import Path

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.facts.certificate import StoryCertified
from shiftwork.ports.agent import AgentTask
from tests.app.rig import SHORT, Rig, done, honest, kinds


def test_an_agent_adds_a_fix_cycle_and_gets_exactly_that(rig: Rig) -> None:
    async def scenario() -> None:
        edit = {
            "operation": "add_after",
            "target_step_id": "step-007",
            "reason": "two tests fail",
            "new_steps": [
                {"type": "coding", "description": "Fix them"},
                {"type": "linting", "description": "Lint again"},
                {"type": "initial_testing", "description": "Test again"},
            ],
        }
        rig.script = honest(initial_testing=[done(edits=[edit])])
        run = await rig.run()
        story = await rig.story(run)
        order = [step.id for step in story.pipeline.steps]
        assert order[6:11] == ["step-007", "step-011", "step-012", "step-013", "step-008"]
        assert story.pipeline.steps[7].plan.description == "Fix them"
        assert run.status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_rejected_edit_changes_nothing_and_is_reported(rig: Rig) -> None:
    prompts: list[str] = []
    skip = {"operation": "skip", "target_step_id": "step-002", "reason": "in a hurry"}
    hasty = honest(coding=[done(edits=[skip], write={"work.txt": "w"})])

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] == "final_review":
            prompts.append(task.prompt)
        return hasty(task)

    rig.script = script
    run = asyncio.run(rig.run(workflow=SHORT))
    assert run.status is RunStatus.COMPLETED
    assert "final_review is mandatory" in prompts[0]


def test_a_review_that_an_agent_skips_is_named_in_the_commit_and_in_the_certificate(rig: Rig) -> None:
    skip = {"operation": "skip", "target_step_id": "step-008", "reason": "the change\nis small"}
    rig.script = honest(coding=[done(edits=[skip], write={"work.txt": "w"})])
    run = asyncio.run(rig.run())
    assert run.status is RunStatus.COMPLETED
    assert "Shiftwork-Unproved: the step review (the change is small) was skipped" in rig.read_message()
    (certified,) = [fact for fact in asyncio.run(rig.facts(run)) if isinstance(fact, StoryCertified)]
    assert certified.certificate.skipped == ("review: the change is small",)


def test_an_edit_request_that_is_no_json_is_rejected(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(edits="nonsense", write={"work.txt": "w"})])
        run = await rig.run(workflow=SHORT)
        assert "WorkflowEditRejected" in kinds(await rig.facts(run))
        assert run.status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_restart_undoes_the_work_and_uses_the_new_description(rig: Rig) -> None:
    prompts: list[str] = []
    restart = {
        "operation": "restart",
        "target_step_id": "step-001",
        "reason": "wrong path",
        "new_description": "Do it the other way",
    }
    turning = honest(coding=[done(edits=[restart], write={"wrong.txt": "wrong\n"})])

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding":
            prompts.append(task.prompt)
        return turning(task)

    async def scenario() -> None:
        rig.script = script
        run = await rig.run(workflow=SHORT)
        yielded = next(fact for fact in await rig.facts(run) if isinstance(fact, story_facts.StepYielded))
        assert "wrong.txt" in Path(yielded.diff).read_text()
        assert (await rig.story(run)).pipeline.steps[0].restarts == 1

    asyncio.run(scenario())
    assert "Do it the other way" in prompts[1]
    assert "wrong.txt" not in rig.list_files()
    assert "work.txt" in rig.list_files()


def test_the_fourth_restart_is_refused_and_fails_the_attempt(rig: Rig) -> None:
    async def scenario() -> None:
        restart = {
            "operation": "restart",
            "target_step_id": "step-001",
            "reason": "again",
            "new_description": "again",
        }
        rig.script = honest(coding=[done(edits=[restart])] * 9)
        run = await rig.run(workflow=SHORT)
        story = await rig.story(run)
        assert story.pipeline.steps[0].restarts == 3
        assert "which is the limit" in story.outcome.reason

    asyncio.run(scenario())


def test_final_review_puts_work_before_itself_and_runs_again(rig: Rig) -> None:
    async def scenario() -> None:
        add = {
            "operation": "add_after",
            "target_step_id": "step-001",
            "reason": "a criterion is not met",
            "new_steps": [{"type": "coding", "description": "Meet it"}],
        }
        rig.script = honest(final_review=[done("not yet", edits=[add], write={"by_review.txt": "kept\n"})])
        run = await rig.run(workflow=SHORT)
        started = [fact.step for fact in await rig.facts(run) if isinstance(fact, story_facts.StepStarted)]
        assert started == ["step-001", "step-002", "step-003", "step-002"]
        assert run.status is RunStatus.COMPLETED

    asyncio.run(scenario())
    assert "by_review.txt" in rig.list_files(), "what the review itself changed is not undone"
