"""An ordered run in one process: each story sees what those before it have landed; a failure stops the run."""

import asyncio
from dataclasses import replace

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.intents import is_over
from shiftwork.app.commands.kept_options import Difference, differences
from shiftwork.app.commands.runs import Order, change_options, start_run, wait_for
from shiftwork.app.commands.start_order import start_order
from shiftwork.app.commands.steering import NOTHING
from shiftwork.app.views.story_list import roll
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, Workflow, catalogue_step
from shiftwork.planning.preview import StartOrder
from shiftwork.ports.agent import Ending
from shiftwork.testing.builders import asked, run_plan, story_id
from tests.app.rig import LANDING, SHORT, Rig
from tests.app.run.test_parallel import Crew, in_progress_at_most, rig_with
from tests.patience import SECONDS

THREE = (asked(1), asked(2), asked(3))
CRASH = Turn(ending=Ending.CRASHED, detail="exit 3")
QUESTION = Turn(answer="SUMMARY:\nhalf of it\n\nSTORY_BLOCKED: tabs or blanks?", write={"half.txt": "1\n"})
KEEP_GOING = run_facts.OptionsChanged(at=0, keep_going=True)


def order(*stories: Story, workflow: Workflow = SHORT, keep_going: bool = False) -> Order:
    return Order(
        spec=Spec(title="Several", description="Several things", stories=stories),
        workflow=workflow,
        branch="main",
        landing=LANDING,
        agent="scripted",
        parallel=3,
        ordered=True,
        keep_going=keep_going,
    )


async def ran(rig: Rig, wanted: Order) -> RunState:
    async with rig.open() as context:
        run = await start_run(context, wanted)
        return await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)


def test_each_story_sees_the_files_of_those_before_it(rig: Rig) -> None:
    crew = Crew()
    run = asyncio.run(ran(rig_with(rig, crew), order(asked(1), asked(2), replace(asked(3), priority=-1))))
    assert run.status is RunStatus.COMPLETED
    assert in_progress_at_most(rig) == 1
    assert crew.seen == {"US-003": set(), "US-001": {"US-003"}, "US-002": {"US-003", "US-001"}}


def test_after_a_failure_nothing_starts_until_the_user_lets_the_run_keep_going(rig: Rig) -> None:
    crew = Crew(broken={"US-002": CRASH})

    async def scenario() -> None:
        stopped = await ran(rig_with(rig, crew), order(*THREE))
        assert stopped.status is RunStatus.FAILED
        assert crew.seen.keys() == {"US-001", "US-002"}
        run, store = stopped.given.run, rig.store
        rows = await store.queries.stories(run)
        assert [row.status for row in rows] == ["completed", "failed", "blocked"]
        assert rows[2].failure == "comes after US-002, which failed"
        lines = await roll(store.queries, store.events, run)
        assert [line.waits_for for line in lines] == [(), (), ("US-002",)]
        assert await is_over(store.events, store.inbox, run, NOTHING)
        assert not await is_over(store.events, store.inbox, run, KEEP_GOING)
        await change_options(store.inbox, run, "1", KEEP_GOING)
        after = await rig.carried_on(run)
        assert after.status is RunStatus.FAILED, "one story is still missing"
        assert crew.seen["US-003"] == {"US-001"}

    asyncio.run(scenario())


def test_a_run_that_keeps_going_from_its_start_continues_after_a_failure(rig: Rig) -> None:
    crew = Crew(broken={"US-001": CRASH})
    run = asyncio.run(ran(rig_with(rig, crew), order(*THREE, keep_going=True)))
    assert (run.totals.completed, run.totals.failed) == (2, 1)
    assert in_progress_at_most(rig) == 1


def test_a_killed_run_stays_ordered_whatever_the_settings_say_then(rig: Rig) -> None:
    crew = Crew()

    async def scenario() -> None:
        rig_with(rig, crew).script = lambda task: replace(crew.script(task), pause=600)
        async with rig.open() as context:
            run = await start_run(context, order(*THREE))
            await rig.at_work()
        rig.script = crew.script
        await change_options(rig.store.inbox, run, "1", run_facts.OptionsChanged(at=0, parallel=9))
        state = await rig.carried_on(run)
        assert state.status is RunStatus.COMPLETED
        assert in_progress_at_most(rig) == 1
        assert crew.seen["US-003"] == {"US-001", "US-002"}

    asyncio.run(scenario())


def test_a_story_that_needs_an_answer_holds_the_later_ones(rig: Rig) -> None:
    async def scenario() -> None:
        rig_with(rig, Crew()).script = lambda _: QUESTION
        async with rig.open() as context:
            run = await start_run(context, order(*THREE))
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.QuestionAsked) for sighting in rig.seen))
            await rig.until(lambda: any(isinstance(sighting.what, run_facts.StoryWaits) for sighting in rig.seen))
            lines = await roll(rig.store.queries, rig.store.events, run)
        assert [line.story.status for line in lines] == ["in_progress", "unclaimed", "unclaimed"]
        assert [line.waits_for for line in lines] == [(), ("US-001",), ("US-002",)]

    asyncio.run(scenario())


# Before the run ------------------------------------------------------------------------------------------------------


def ids(*numbers: int) -> tuple[StoryId, ...]:
    return tuple(map(story_id, numbers))


def test_the_order_of_the_start_is_known_before_the_run() -> None:
    first = replace(asked(3), priority=-1)
    assert start_order(order(asked(1), asked(2), first)) == StartOrder(
        ordered=True, planned=False, stories=ids(3, 1, 2), stating=0, free=1, at_once=1
    )
    part = replace(order(*THREE), done=frozenset(ids(1)))
    assert start_order(part).stories == ids(2, 3)


def test_how_many_start_at_once_is_known_before_the_run() -> None:
    some = order(asked(1), asked(2), asked(3, after=(1,)))
    known = StartOrder(ordered=False, planned=False, stories=ids(1, 2, 3), stating=1, free=2, at_once=2)
    assert start_order(some) == known
    assert start_order(replace(some, parallel=1)) == replace(known, at_once=1), "as many are free as `plan` says"
    assert start_order(replace(order(*THREE), ordered=False)).at_once == 3


@pytest.mark.parametrize("plans", [True, False])
def test_a_run_that_plans_its_stories_says_so(plans: bool) -> None:  # noqa: FBT001 - a parameter
    loop = StepPlan(name="stories", type="stories", kind=StepKind.LOOP, body=(catalogue_step("coding"),))
    framed = Workflow(id="framed", version=1, steps=(StepPlan(name="plan", type="plan", plans=plans), loop))
    assert start_order(order(asked(1), workflow=framed)).planned is plans


def test_an_ordered_run_keeps_its_order_and_says_how_to_change_it() -> None:
    plan = replace(run_plan(), ordered=True)
    assert differences(plan, {"run.parallel": "9", "run.keep_going": "true"}, {"run.keep_going": "false"}) == (
        Difference(setting="run.keep_going", before="false", after="true", in_force="false", kept=True),
        Difference(setting="run.parallel", before="none", after="9", in_force="1", kept=True, option="--parallel"),
    )
