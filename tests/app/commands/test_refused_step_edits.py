"""Edits of steps that are refused, each with the rule and the next command, and what edits say when they are done."""

import asyncio

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands import step_edits
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story import facts as story_facts
from shiftwork.ports.agent import Ending
from shiftwork.testing.builders import asked
from tests.app.attempt.test_questions import held
from tests.app.commands.step_edit_rig import (
    REVIEWED,
    SLOW,
    ended,
    listed,
    refused,
    requested,
    started_steps,
)
from tests.app.rig import SHORT, Rig, done, honest

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
