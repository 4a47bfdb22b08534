"""People who edit the steps of a story: while it runs, while it waits, before it starts and after it has ended."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands import step_edits
from shiftwork.app.commands.intents import ask
from shiftwork.app.commands.runs import wait_for
from shiftwork.app.commands.step_edits import Requested, StepRequest, Wanted, applied
from shiftwork.app.runtime.context import Context
from shiftwork.app.views.history import account
from shiftwork.app.views.report import report
from shiftwork.app.views.step_list import StepList
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.workflow.workflow import catalogue_step
from shiftwork.errors import IntentError
from shiftwork.ports.agent import AgentTask, Ending
from shiftwork.testing.builders import asked
from tests.app.attempt.test_questions import BLOCKED, held
from tests.app.rig import SHORT, Rig, done, honest, kinds, story_workflow

FIRST = StoryId("US-001")
REVIEWED = story_workflow(*(catalogue_step(name) for name in ("coding", "review", "prune_tests", "final_review")))


async def requested(context: Context, run: RunId, wanted: Wanted, story: str = FIRST) -> Requested:
    request = StepRequest(run=run, story=StoryId(story), wanted=wanted)
    return await step_edits.request(context.events, context.inbox, request, context.clock.fresh())


async def refused(context: Context, run: RunId, wanted: Wanted, story: str = FIRST) -> tuple[str, str]:
    with pytest.raises(IntentError) as caught:
        await requested(context, run, wanted, story)
    return caught.value.message, caught.value.hint


async def ended(context: Context, run: RunId) -> RunState:
    return await asyncio.wait_for(wait_for(context, run), timeout=60)


async def listed(rig: Rig, run: RunId, story: str = FIRST) -> StepList:
    return await step_edits.listed(rig.store.events, rig.store.inbox, run, StoryId(story))


async def started_steps(rig: Rig, run: RunId) -> list[str]:
    return [fact.step for fact in await rig.facts(run) if isinstance(fact, story_facts.StepStarted)]


SLOW = done(write={"work.txt": "work\n"}, pause=0.6)
ENDLESS = done(write={"wrong.txt": "wrong\n"}, pause=50.0)


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
        assert "step-001 attempt 1 restarted by a person" in text
        assert "person: restart step-001 Write work.txt: wrong file" in text

    asyncio.run(scenario())
    assert "A person restarted this step: wrong file" in prompts[1]
    assert "Write work.txt" in prompts[1]
    assert not (rig.repo / "attempt-1.txt").exists()


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
        assert why == "US-001 has failed: its steps can no longer be edited"
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


# What is refused ------------------------------------------------------------------------------------------------------


def test_what_cannot_be_edited_says_why_and_what_to_type(rig: Rig) -> None:
    rig.script = honest(coding=[SLOW])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=REVIEWED)
            await rig.at_work("step-001")
            look = f"shiftwork steps US-001 --run {run}"
            assert await refused(context, run, step_edits.skip("final_review", "r")) == (
                "not done: final_review is mandatory and cannot be skipped",
                look,
            )
            assert await refused(context, run, step_edits.skip("step-3", "r")) == (
                "US-001 has no step step-3; did you mean step-003?",
                look,
            )
            why, hint = await refused(context, run, step_edits.add("nonsense", "d", ""))
            assert why.startswith("not done: there is no step type 'nonsense'; known are architecture, coding,")
            assert hint == look
            assert await refused(context, run, step_edits.skip("review", "r"), "US-1") == (
                "there is no story US-1 in the run; did you mean US-001?",
                f"shiftwork stories {run}",
            )
            await requested(context, run, step_edits.add("review", "once more", "step-002"))
            assert await refused(context, run, step_edits.skip("review", "r")) == (
                "US-001 has several steps review: step-002, step-005",
                f"name one by its id; {look}",
            )
            assert await refused(context, run, step_edits.reorder(("final_review",))) == (
                "not done: final_review must stay last; add steps before it instead",
                look,
            )
            await ended(context, run)
            landed, hint = await refused(context, run, step_edits.skip("review", "r"))
        assert (landed, hint) == (
            "US-001 has landed: its steps can no longer be edited",
            f"shiftwork undo US-001 --run {run}",
        )

    asyncio.run(scenario())


def test_a_story_that_lands_is_rejected_or_watched_instead(rig: Rig) -> None:
    rig.review, rig.script = True, honest()

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await held(rig, run)
            why, hint = await refused(context, run, step_edits.add("coding", "more", ""))
        assert why == "US-001 is landing: its steps are done and can no longer be edited"
        assert hint == f"shiftwork reject US-001 --run {run} --because …"

    asyncio.run(scenario())


def test_a_story_in_the_landing_queue_is_watched(rig: Rig) -> None:
    rig.gates = (Gate(name="test", command="sleep 1"),)

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: any(isinstance(it.what, story_facts.LandingRequested) for it in rig.seen))
            why, hint = await refused(context, run, step_edits.add("coding", "more", ""))
            await ended(context, run)
        assert why == "US-001 is landing: its steps are done and can no longer be edited"
        assert hint == f"shiftwork status {run}"

    asyncio.run(scenario())


def test_a_story_that_never_started_in_a_run_that_is_over_is_not_edited(rig: Rig) -> None:
    rig.script = honest(coding=[Turn(ending=Ending.CRASHED)] * 9)
    spec = Spec(title="Two", description="Two", stories=(asked(1), asked(2, after=(1,))))

    async def scenario() -> None:
        run = (await rig.run(spec, workflow=SHORT)).given.run
        async with rig.open() as context:
            why, hint = await refused(context, run, step_edits.skip("coding", "r"), "US-002")
        assert why == f"run {run} is over, and US-002 has not started in it"
        assert hint == f"shiftwork status {run}"
        assert (await listed(rig, run, "US-002")).status == "blocked"

    asyncio.run(scenario())


# Words and places -----------------------------------------------------------------------------------------------------


def test_each_edit_says_what_is_true_when_it_is_done(rig: Rig) -> None:
    rig.script = honest(coding=[SLOW])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=REVIEWED)
            await rig.at_work("step-001")
            wanted = (
                step_edits.add("coding", "The docs", ""),
                step_edits.describe("review", "The docs"),
                step_edits.reorder(("step-003", "step-002")),
                step_edits.split("step-002", ("one", "two")),
                step_edits.skip("step-003", "few"),
                step_edits.restart("step-001", "again"),
            )
            said = [(await requested(context, run, edit)).text for edit in wanted]
            assert (await ended(context, run)).status is RunStatus.COMPLETED
        assert said == [
            "US-001 has a new step, coding, after step-001 coding",
            "step-002 review of US-001 has a new description",
            "the next steps of US-001 are step-003, step-002, step-005, step-004",
            "step-002 review of US-001 is replaced by 2 steps",
            "step-003 prune_tests of US-001 is skipped",
            "step-001 coding of US-001 starts again; what its attempt has changed is kept as a diff",
        ]
        assert await started_steps(rig, run) == ["step-001", "step-001", "step-006", "step-007", "step-005", "step-004"]

    asyncio.run(scenario())


def test_work_that_is_added_while_the_last_step_runs_comes_before_it(rig: Rig) -> None:
    rig.script = honest(final_review=[done(pause=0.6)])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.at_work("step-002")
            await requested(context, run, step_edits.add("coding", "The docs", ""))
            assert (await ended(context, run)).status is RunStatus.COMPLETED
        assert await started_steps(rig, run) == ["step-001", "step-002", "step-003", "step-002"]

    asyncio.run(scenario())
