"""Requests to a run that no process works on: it first records what was done, then reads them, then begins new work."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.app.commands.intents import ask
from shiftwork.app.commands.replies import Reply, Word, reply
from shiftwork.app.commands.runs import cancel_run, raise_limits, resume_run
from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, HoldCause
from shiftwork.domain.workflow.workflow import Workflow
from shiftwork.errors import IntentError
from shiftwork.testing.builders import asked, story_id
from tests.app.commands.test_intents import crew_of, ended, intend, seen, spec, statuses
from tests.app.messaging.test_frame import WORKFLOW, planning
from tests.app.messaging.test_noticing import APPROVED, Channel, reported_by
from tests.app.rig import SHORT, Rig, done
from tests.app.run.dying import Death, deadly
from tests.app.run.test_taking_over import Thorough
from tests.app.spending.test_limits_midway import CHEAP, STEPS, pays


def of(kind: type[Fact]) -> Callable[[Fact], bool]:
    return lambda fact: isinstance(fact, kind)


def begins(story: str) -> Callable[[Fact], bool]:
    return lambda fact: isinstance(fact, story_facts.StoryStarted) and fact.assignment.story.id == story


async def killed(rig: Rig, death: Death, number: int = 1, workflow: Workflow = SHORT) -> RunId:
    """A run of that many stories whose process has died at the chosen point."""
    async with rig.open() as context:
        run = await rig.start(context, spec(*map(asked, range(1, number + 1))), workflow=workflow)
        await rig.until(lambda: death.come)
    return run


async def gone_on(rig: Rig, run: RunId) -> RunState:
    async with rig.open() as context:
        await resume_run(context, run)
        return await ended(context, run)


# Before more is begun ------------------------------------------------------------------------------------------------


def test_a_run_that_is_cancelled_while_no_one_works_on_it_begins_nothing_more(rig: Rig) -> None:
    crew, death = crew_of(rig), deadly(rig.store)
    death.before_recording(begins("US-002"))

    async def scenario() -> None:
        run = await killed(rig, death, 3)
        await cancel_run(rig.store.inbox, run)
        state = await gone_on(rig, run)
        assert state.status is RunStatus.CANCELLED
        assert statuses(state) == {"US-001": "completed", "US-002": "unclaimed", "US-003": "unclaimed"}
        assert await rig.facts(run, "US-002") == await rig.facts(run, "US-003") == []

    asyncio.run(scenario())
    assert crew.began == ["US-001"]


def test_of_several_that_could_start_none_does_once_a_cancel_is_received(rig: Rig) -> None:
    crew, death = crew_of(rig), deadly(rig.store)
    death.before_recording(of(story_facts.StoryStarted))

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1), asked(2)), workflow=SHORT, parallel=2)
            await rig.until(lambda: death.come)
        await cancel_run(rig.store.inbox, run)
        assert (await gone_on(rig, run)).status is RunStatus.CANCELLED
        assert seen(rig, story_facts.StoryStarted) == 0

    asyncio.run(scenario())
    assert crew.began == []


def test_a_story_that_is_edited_while_no_one_works_is_begun_as_it_is_then(rig: Rig) -> None:
    crew_of(rig)
    death = deadly(rig.store)
    death.before_recording(of(story_facts.StoryStarted))

    async def scenario() -> None:
        run = await killed(rig, death)
        async with rig.open() as context:
            await intend(context, run, run_facts.StoryEdited(at=0, story=replace(asked(1), title="Another title")))
        assert (await gone_on(rig, run)).status is RunStatus.COMPLETED

    asyncio.run(scenario())
    assert rig.log() == ["feat: US-001 - Another title", "start"]


@pytest.mark.parametrize("whole", [True, False], ids=["the run", "one story"])
def test_a_story_that_was_begun_and_not_recorded_is_reported_before_it_continues(
    rig: Rig, tmp_path: Path, *, whole: bool
) -> None:
    """Its process died before the run recorded it: an attempt was in progress, and there is none after the cancel."""
    crew, death = crew_of(rig, US_001=[done(pause=60)]), deadly(rig.store)
    death.before_recording(of(run_facts.StoryDispatched))

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1)), workflow=SHORT)
            await rig.until(lambda: death.come and bool(crew.began))
        if whole:
            await cancel_run(rig.store.inbox, run)
        else:
            await ask(
                rig.store.events,
                rig.store.inbox,
                run,
                run_facts.StoryCancellationRequested(at=0, story=story_id(1)),
                "1",
            )
        death.deaf = True
        async with rig.open() as context:
            engine = Thorough(engine=context.engine, begun=tmp_path / "never")
            await resume_run(replace(context, engine=engine), run)
            death.deaf = False
            assert (await ended(context, run)).status is RunStatus.CANCELLED
        assert (await rig.story(run)).outcome.cause is FailureCause.CANCELLED

    asyncio.run(scenario())
    assert (crew.began, seen(rig, run_facts.StoryDispatched)) == (["US-001"], 1)


def test_an_edit_of_a_story_that_was_begun_and_not_recorded_is_refused_as_too_late(rig: Rig) -> None:
    """The run first records that the story has begun and then receives the edit, which is too late."""
    crew, death = crew_of(rig, US_001=[done(pause=60)]), deadly(rig.store)
    death.before_recording(of(run_facts.StoryDispatched))

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1)), workflow=SHORT)
            await rig.until(lambda: death.come and bool(crew.began))
        async with rig.open() as context:
            with pytest.raises(IntentError, match="US-001 is in progress and works from the text it started with"):
                await intend(context, run, run_facts.StoryEdited(at=0, story=replace(asked(1), title="Another title")))
        assert (await gone_on(rig, run)).status is RunStatus.COMPLETED

    asyncio.run(scenario())
    assert rig.log() == ["feat: US-001 - Story 1", "start"]


def test_nothing_is_undone_that_a_story_builds_on_which_was_begun_and_not_recorded(rig: Rig) -> None:
    crew_of(rig, US_002=[done(pause=60)])
    death = deadly(rig.store)
    death.before_recording(lambda fact: isinstance(fact, run_facts.StoryDispatched) and fact.story == "US-002")

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1), asked(2, after=(1,))), workflow=SHORT)
            await rig.until(lambda: death.come)
            with pytest.raises(IntentError, match="US-002, in progress, builds on US-001"):
                await intend(context, run, run_facts.StoryUndoRequested(at=0, story=story_id(1)))

    asyncio.run(scenario())


# Before the loop is closed, and before the end -----------------------------------------------------------------------


@pytest.mark.parametrize("flag", [False, True], ids=["unwritten", "told"])
def test_a_story_that_is_added_before_the_loop_is_closed_is_worked_on_in_it(rig: Rig, *, flag: bool) -> None:
    rig.script, death = planning("A-1"), deadly(rig.store)
    if flag:
        death.before_recording(of(run_facts.LoopClosed))
    else:
        death.before_posting(lambda key: key == "closed/1")

    async def scenario() -> None:
        run = await killed(rig, death, workflow=WORKFLOW)
        async with rig.open() as context:
            await intend(context, run, run_facts.StoryAdded(at=0, story=replace(asked(1), id=StoryId("A-2"))))
        state = await gone_on(rig, run)
        assert (state.status, state.totals.completed) == (RunStatus.COMPLETED, 2)
        assert seen(rig, run_facts.LoopClosed) == seen(rig, story_facts.LoopEnded) == 1

    asyncio.run(scenario())
    last = [subject.split(" - ")[0] for subject in rig.log()[:2]]
    assert last == (["feat: A-2", "feat: framed"] if flag else ["feat: framed", "feat: A-2"])


def test_what_is_asked_of_a_run_that_is_about_to_end_is_done_before_anyone_is_notified_that_it_is_over(
    rig: Rig,
) -> None:
    crew_of(rig)
    death = deadly(rig.store)
    death.before_recording(of(run_facts.RunEnded))

    async def scenario() -> None:
        run = await killed(rig, death)
        async with rig.open() as context:
            await intend(context, run, run_facts.StoryAdded(at=0, story=asked(2)))
        state = await gone_on(rig, run)
        assert (state.status, state.totals.completed, state.endings) == (RunStatus.COMPLETED, 2, 2)

    asyncio.run(scenario())


def test_a_cancel_that_comes_when_all_is_done_changes_nothing(rig: Rig) -> None:
    crew_of(rig)
    death = deadly(rig.store)
    death.before_recording(of(run_facts.RunEnded))

    async def scenario() -> None:
        run = await killed(rig, death)
        await cancel_run(rig.store.inbox, run)
        assert (await gone_on(rig, run)).status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_an_answer_to_a_wait_that_the_story_has_yet_to_learn_of_is_an_answer_to_that_one(rig: Rig) -> None:
    """Its second at the limit of the run; the first is over."""
    rig.gates, rig.script = (), pays(5.0)
    death = deadly(rig.store)

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=STEPS, limits=Limits(run=Budget(usd=5.0), attempt=CHEAP))
            await rig.until(lambda: seen(rig, story_facts.AllowanceRefused) > 0)
            death.before_recording(of(story_facts.AllowanceRefused))
            await raise_limits(context.inbox, run, "1", Limits(run=Budget(usd=5.5)))
            await rig.until(lambda: death.come)
        hold = await reply(rig.store.events, rig.store.inbox, Reply(run=run, story=story_id(1), word=Word.REJECT))
        assert hold.cause is HoldCause.LIMIT
        state = await gone_on(rig, run)
        assert (state.status, (await rig.story(run)).waiting.holds) == (RunStatus.FAILED, 2)

    asyncio.run(scenario())


def test_who_has_answered_a_story_while_no_one_worked_is_not_notified_again_that_it_waits(rig: Rig) -> None:
    channel, death = Channel(), deadly(rig.store)
    rig.gates = ()
    death.before_recording(of(NoticeTried))

    async def scenario() -> None:
        run = await killed(reported_by(rig, outputs=channel), death, workflow=APPROVED)
        await reply(rig.store.events, rig.store.inbox, Reply(run=run, story=story_id(1), word=Word.APPROVE))
        assert (await gone_on(rig, run)).status is RunStatus.COMPLETED

    asyncio.run(scenario())
    assert [notice.occasion for notice in channel.taken] == ["needs-you", "finished"]
