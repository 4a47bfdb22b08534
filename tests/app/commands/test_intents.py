"""Requests to a run while it is in progress and after it is over: pause, cancel, retry."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count

import pytest

from shiftwork.adapters.agents.scripted import Script, ScriptedAgent, Turn
from shiftwork.app.commands.intents import ask, is_over, received, undo_came_to, unpause
from shiftwork.app.commands.runs import cancel_run, forecast, resume_run, wait_for
from shiftwork.app.commands.steering import NOTHING
from shiftwork.app.folds import RUN, load
from shiftwork.app.messaging import messages
from shiftwork.app.runtime.context import Context, Sighting
from shiftwork.app.views.export import export
from shiftwork.app.views.history import account
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import Activity
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId, run_stream, story_stream
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, catalogue_step
from shiftwork.errors import IntentError
from shiftwork.ports.agent import AgentReport, AgentTask, Ending, Listener
from shiftwork.ports.views import Owner
from shiftwork.testing.builders import asked, story_id
from tests.app.rig import SHORT, Rig, done, kinds, story_workflow

CODING = "coding"
BROKEN = Turn(ending=Ending.CRASHED)


def spec(*stories: Story) -> Spec:
    return Spec(title="Several", description="Several things", stories=stories)


class Crew:
    """An agent that writes a file named after its story while coding; `first` says what it does there before that."""

    def __init__(self, **first: Sequence[Turn]) -> None:
        self.began: list[str] = []
        self._first = {name.replace("_", "-"): list(turns) for name, turns in first.items()}

    def script(self, task: AgentTask) -> Turn:
        story = task.env["SHIFTWORK_STORY"]
        if task.env["SHIFTWORK_STEP_TYPE"] != CODING:
            return done()
        self.began.append(story)
        if waiting := self._first.get(story):
            return waiting.pop(0)
        return done(write={story: "work\n"})


class HeldAgent(ScriptedAgent):
    """Begins no attempt before it is released."""

    def __init__(self, script: Script) -> None:
        super().__init__(script)
        self.released = asyncio.Event()

    async def attempt(self, task: AgentTask, listener: Listener) -> AgentReport:
        await self.released.wait()
        return await super().attempt(task, listener)


def crew_of(rig: Rig, **first: Sequence[Turn]) -> Crew:
    crew = Crew(**first)
    rig.script, rig.gates = crew.script, (Gate(name="test", command="true"),)
    return crew


async def intend(context: Context, run: RunId, intent: Fact) -> int:
    return await ask(context.events, context.inbox, run, intent, context.clock.fresh())


async def ended(context: Context, run: RunId) -> RunState:
    return await asyncio.wait_for(wait_for(context, run), timeout=60)


async def again(context: Context, run: RunId, intent: Fact) -> RunState:
    """Continue a run that is over, for the intent."""
    await intend(context, run, intent)
    await resume_run(context, run)
    return await ended(context, run)


def statuses(run: RunState) -> Mapping[str, str]:
    return {story: known.status.value for story, known in run.stories.items()}


async def rows(rig: Rig, run: RunId) -> Mapping[str, str]:
    return {row.story: row.status for row in await rig.store.queries.stories(run)}


def seen(rig: Rig, kind: type[Fact]) -> int:
    return sum(isinstance(sighting.what, kind) for sighting in rig.seen)


def lives(_: Owner) -> bool:
    return True


# Messages before work ------------------------------------------------------------------------------------------------


def test_nothing_is_begun_while_there_are_messages(rig: Rig) -> None:
    """A message that comes while a step runs is read before the next step, the gates, and the landing."""
    gate = StepPlan(name="check", type="check", kind=StepKind.GATE, description="check")
    crew_of(rig)

    async def scenario() -> None:
        async with rig.open() as context:
            keys = count()

            def write(sighting: Sighting) -> None:
                if isinstance(sighting.what, story_facts.WorkspacePrepared | story_facts.StepCompleted):
                    post = messages.send(
                        rig.store.inbox, sighting.stream, f"noise/{next(keys)}", story_facts.StoryUnpaused(at=0)
                    )
                    with contextlib.suppress(StopIteration):  # in memory it is done at once
                        post.send(None)

            rig.watch = write
            run = await rig.start(context, spec(asked(1)), workflow=story_workflow(catalogue_step(CODING), gate))
            state = await ended(context, run)
        assert state.status is RunStatus.COMPLETED
        lines = kinds(await rig.facts(run))
        for begins in ("StepStarted", "LandingRequested"):
            for place in [place for place, kind in enumerate(lines) if kind == begins]:
                assert lines[place - 1] == "MessagesRead", lines[: place + 1]

    asyncio.run(scenario())


# Pause ---------------------------------------------------------------------------------------------------------------


def test_a_paused_run_finishes_the_attempt_in_progress_and_begins_nothing(rig: Rig) -> None:
    crew = crew_of(rig, US_001=[done(write={"US-001": "work\n"}, pause=0.6)])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1), asked(2)), workflow=SHORT)
            await rig.until(lambda: seen(rig, story_facts.StepStarted) == 1)
            intent = run_facts.RunPaused(at=0)
            version = await intend(context, run, intent)
            assert await received(context.events, run, intent, version, 60)
            with pytest.raises(IntentError, match="paused already"):
                await intend(context, run, intent)
            await rig.until(lambda: seen(rig, story_facts.StoryPaused) == 1)
            story = await rig.story(run)
            assert [step.status for step in story.pipeline.steps] == ["completed", "pending"]
            view = await run_view(rig.store.queries, run, lives)
            assert (view.run.status, view.activity, view.moves) == ("paused", Activity.PAUSED, True)
            assert await rows(rig, run) == {"US-001": "paused", "US-002": "unclaimed"}
            await intend(context, run, run_facts.RunUnpaused(at=0))
            state = await ended(context, run)
        assert statuses(state) == {"US-001": "completed", "US-002": "completed"}
        assert crew.began == ["US-001", "US-002"]

    asyncio.run(scenario())


def test_a_run_that_was_paused_when_its_process_died_continues_when_it_is_resumed(rig: Rig) -> None:
    crew = crew_of(rig)

    async def scenario() -> None:
        rig.agent = agent = HeldAgent(crew.script)
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1)), workflow=SHORT)
            await rig.until(lambda: seen(rig, story_facts.StepStarted) == 1)
            await intend(context, run, run_facts.RunPaused(at=0))
            while not await context.inbox.receive(story_stream(run, story_id(1)), after=0):
                await asyncio.sleep(0.01)
            agent.released.set()
            await rig.until(lambda: seen(rig, story_facts.StoryPaused) == 1)
        async with rig.open() as context:
            await resume_run(context, run)
            await asyncio.sleep(0.3)
            assert (await load(context.events, RUN, run_stream(run))).requests.paused, (
                "nobody has said that it is to go on"
            )
            await unpause(context.events, context.inbox, run, "1")
            state = await ended(context, run)
            await unpause(context.events, context.inbox, run, "2")
        assert state.status is RunStatus.COMPLETED

    asyncio.run(scenario())


# Cancel --------------------------------------------------------------------------------------------------------------


def test_one_story_is_cancelled_and_the_others_continue(rig: Rig) -> None:
    crew = crew_of(rig, US_001=[done(pause=60)])

    async def scenario() -> None:
        stories = (asked(1), asked(2), asked(3, after=(1,)))
        async with rig.open() as context:
            run = await rig.start(context, spec(*stories), workflow=SHORT, parallel=2)
            await rig.until(lambda: "US-001" in crew.began)
            await intend(context, run, run_facts.StoryCancellationRequested(at=0, story=story_id(1)))
            state = await ended(context, run)
            assert statuses(state) == {"US-001": "cancelled", "US-002": "completed", "US-003": "blocked"}
            assert state.stories[story_id(1)].cause is FailureCause.CANCELLED
            retried = await again(context, run, run_facts.StoryRetryRequested(at=0, story=story_id(1)))
        assert retried.status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_story_that_no_one_has_begun_is_cancelled_without_being_started(rig: Rig) -> None:
    crew = crew_of(rig, US_001=[done(write={"US-001": "work\n"}, pause=1)])

    async def scenario() -> None:
        stories = (replace(asked(1), complexity=9), asked(2), asked(3, after=(2,)))
        async with rig.open() as context:
            run = await rig.start(context, spec(*stories), workflow=SHORT)
            await rig.until(lambda: seen(rig, story_facts.StepStarted) == 1)
            intent = run_facts.StoryCancellationRequested(at=0, story=story_id(2))
            assert await received(context.events, run, intent, await intend(context, run, intent), 60)
            assert await rows(rig, run) == {"US-001": "in_progress", "US-002": "cancelled", "US-003": "blocked"}
            (row,) = [row for row in await rig.store.queries.stories(run) if row.story == "US-002"]
            assert (row.failure, row.cause) == ("cancelled", "cancelled")
            state = await ended(context, run)
            assert crew.began == ["US-001"]
            assert (state.totals.completed, state.totals.failed) == (1, 0)
            retried = await again(context, run, run_facts.StoryRetryRequested(at=0, story=story_id(2)))
        assert retried.status is RunStatus.COMPLETED

    asyncio.run(scenario())


# Retry ---------------------------------------------------------------------------------------------------------------


def test_a_retry_continues_from_the_step_that_failed_with_what_was_done_before(rig: Rig) -> None:
    crew = crew_of(rig)
    reviews: list[Turn] = [BROKEN, BROKEN]

    def script(task: AgentTask) -> Turn:
        review = task.env["SHIFTWORK_STEP_TYPE"] == "final_review"
        return reviews.pop(0) if review and reviews else crew.script(task)

    rig.script = script

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1), asked(2, after=(1,))), workflow=SHORT)
            state = await ended(context, run)
            assert statuses(state) == {"US-001": "failed", "US-002": "blocked"}
            retry = run_facts.StoryRetryRequested(at=0, story=story_id(1), because="look again")
            state = await again(context, run, retry)
        assert state.status is RunStatus.COMPLETED
        assert crew.began == ["US-001", "US-002"], "what was done before was not done again"
        story = await rig.story(run)
        assert (story.start_number, [step.attempts for step in story.pipeline.steps]) == (2, [1, 3])
        row = await rig.store.queries.run(run)
        assert row is not None
        assert (row.status, row.completed, row.failed) == ("completed", 2, 0)
        history = export(await account(rig.store.events, run), rig.repo)["stories"]["US-001"]["history"]
        claims = [entry["details"] for entry in history if entry["action"] == "story_claimed"]
        assert claims == [{}, {"from_scratch": False, "because": "look again"}]

    asyncio.run(scenario())
    assert rig.log() == ["feat: US-002 - Story 2", "feat: US-001 - Story 1", "start"]


def test_a_retry_from_scratch_begins_with_new_steps_at_the_tip_of_the_branch(rig: Rig) -> None:
    crew = crew_of(rig, US_001=[BROKEN, BROKEN])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1)), workflow=SHORT)
            await ended(context, run)
        async with rig.open() as context:  # another process: the job has another id anyway
            state = await again(context, run, run_facts.StoryRetryRequested(at=0, story=story_id(1), from_scratch=True))
        assert state.status is RunStatus.COMPLETED
        assert crew.began == ["US-001"] * 3
        story = await rig.story(run)
        assert [step.id for step in story.pipeline.steps] == ["step-003", "step-004"]
        listed = await rig.store.queries.steps(run, "US-001")
        assert [step.step for step in listed] == ["step-003", "step-004"]

    asyncio.run(scenario())


def test_a_retry_in_a_run_that_continues_waits_for_its_turn(rig: Rig) -> None:
    crew = crew_of(rig, US_001=[BROKEN, BROKEN], US_002=[done(write={"US-002": "w"}, pause=1)])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1), asked(2)), workflow=SHORT)
            await rig.until(lambda: crew.began[-1:] == ["US-002"])
            await intend(context, run, run_facts.StoryRetryRequested(at=0, story=story_id(1)))
            await rig.until(lambda: seen(rig, run_facts.StoryRetryRequested) == 1)
            assert (await rows(rig, run))["US-001"] == "unclaimed"
            state = await ended(context, run)
        assert state.status is RunStatus.COMPLETED
        assert (await rows(rig, run))["US-001"] == "completed"

    asyncio.run(scenario())


def test_messages_for_the_start_before_are_not_read_in_the_next(rig: Rig) -> None:
    crew_of(rig, US_001=[BROKEN, BROKEN])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1)), workflow=SHORT)
            await ended(context, run)
            await messages.send(
                context.inbox, story_stream(run, StoryId("US-001")), "cancel", story_facts.StoryCancelRequested(at=0)
            )
            state = await again(context, run, run_facts.StoryRetryRequested(at=0, story=story_id(1)))
        assert state.status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_run_that_was_cancelled_continues_for_a_retry_and_can_be_cancelled_again(rig: Rig) -> None:
    crew = crew_of(rig, US_001=[done(pause=60), done(pause=60)])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1), asked(2)), workflow=SHORT)
            await rig.until(lambda: len(crew.began) == 1)
            await cancel_run(context.inbox, run, "1")
            assert (await ended(context, run)).status is RunStatus.CANCELLED
            await intend(context, run, run_facts.StoryRetryRequested(at=0, story=story_id(1)))
            await resume_run(context, run)
            await rig.until(lambda: len(crew.began) == 2)
            await cancel_run(context.inbox, run, "2")
            state = await ended(context, run)
            assert state.status is RunStatus.CANCELLED
            assert statuses(state) == {"US-001": "cancelled", "US-002": "unclaimed"}
            state = await again(context, run, run_facts.StoryRetryRequested(at=0, story=story_id(1)))
        assert state.status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_run_that_is_over_is_only_given_back_unless_its_messages_ask_for_more(rig: Rig) -> None:
    crew_of(rig)

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1)), workflow=SHORT)
            await ended(context, run)
            assert await is_over(context.events, context.inbox, run, NOTHING)
            await cancel_run(context.inbox, run, "too late")
            assert (await resume_run(context, run)).status is RunStatus.COMPLETED
            with pytest.raises(IntentError, match="US-001 has landed"):
                await intend(context, run, run_facts.StoryRetryRequested(at=0, story=story_id(1)))
            await intend(context, run, run_facts.StoryUndoRequested(at=0, story=story_id(1)))
            assert not await is_over(context.events, context.inbox, run, NOTHING)
            assert (await forecast(context.events, context.inbox, run)).requests.undoing

    asyncio.run(scenario())


def test_what_was_asked_for_too_late_is_reported_as_that(rig: Rig) -> None:
    crew_of(rig, US_001=[BROKEN, BROKEN])

    async def scenario() -> None:
        intent = run_facts.StoryRetryRequested(at=0, story=story_id(1))
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1)), workflow=SHORT)
            await ended(context, run)
            version = await intend(context, run, intent)
            assert not await received(context.events, run, intent, version, 0.2)
            assert await undo_came_to(context.events, run, story_id(1), version, 0) is None
            await messages.send(context.inbox, run_stream(run), "twice", intent)
            later = version + 1  # the run receives both at once, and the second finds nothing to do
            await resume_run(context, run)
            assert await received(context.events, run, intent, version, 60)
            assert await received(context.events, run, intent, version - 1, 60), "whatever came before it"
            with pytest.raises(IntentError, match="this request came too late: US-001 has not failed"):
                await received(context.events, run, intent, later, 60)
            await ended(context, run)

    asyncio.run(scenario())
