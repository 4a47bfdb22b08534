"""Limits of agents: a story waits durably, or another profile continues; an agent that repeats a call is ended."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.adapters.clock import SystemClock
from shiftwork.app.commands.runs import cancel_run, resume_run, wait_for
from shiftwork.app.messaging import messages
from shiftwork.app.views.export import export
from shiftwork.app.views.history import account
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import Activity, StoryActivity, reason, story_columns, waiting_text
from shiftwork.domain.agents.rate_limit import Patience
from shiftwork.domain.core.ids import RunId, StepId, StoryId, story_stream
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.facts.steps import Trouble
from shiftwork.domain.story.state import FailureCause, StoryState
from shiftwork.domain.workflow.edit_request import Edit, Operation
from shiftwork.domain.workflow.workflow import AgentPlan, catalogue_step
from shiftwork.ports.agent import AgentEvent, AgentReport, AgentTask, Ending, EventKind, Listener
from shiftwork.ports.rows.row_parts import WaitCause, WaitingPart
from shiftwork.ports.views import Owner
from tests.app.reported import report
from tests.app.rig import SHORT, Rig, done, honest, kinds
from tests.app.spending.limits_rig import Held, limited, limited_once

SHORTLY = Patience(longest_seconds=0.05)


def lives(owner: Owner) -> bool:
    return owner.pid > 0


def is_dead(owner: Owner) -> bool:
    return owner.pid < 0


async def waiting(rig: Rig, run: RunId) -> StoryState:
    async with asyncio.timeout(60):
        while not (state := await rig.story(run)).rate_limit.wait:
            await asyncio.sleep(0.01)
    return state


async def deferrals(rig: Rig, run: RunState) -> list[story_facts.StepDeferred]:
    return [fact for fact in await rig.facts(run) if isinstance(fact, story_facts.StepDeferred)]


@pytest.mark.parametrize("ending", [Ending.RATE_LIMITED, Ending.OVERLOADED])
def test_a_limit_is_waited_for_and_spends_no_retry(rig: Rig, ending: Ending) -> None:
    async def scenario() -> None:
        rig.script = limited_once(rig, 0.3, ending)
        run = await rig.run(workflow=SHORT)
        assert run.status is RunStatus.COMPLETED
        story = await rig.story(run)
        coding = story.pipeline.steps[0]
        assert (coding.attempts, coding.retries, coding.deferrals, story.rate_limit.wait) == (2, 0, 1, None)
        (deferred,) = await deferrals(rig, run)
        assert (deferred.agent, deferred.reason, deferred.usage.input_tokens) == ("scripted", "429", 7)
        assert deferred.until == deferred.resets_at > deferred.at
        assert "half.txt" in Path(deferred.diff).read_text(), "what was abandoned is kept"
        begun = [fact.at for fact in await rig.facts(run) if isinstance(fact, story_facts.StepStarted)]
        assert begun[1] >= deferred.until, "nothing is asked before the limit has ended"

    asyncio.run(scenario())
    assert "half.txt" not in rig.list_files()


def test_a_limit_that_never_ends_fails_the_step_after_so_many_waits(rig: Rig) -> None:
    async def scenario() -> None:
        rig.patience = Patience(longest_seconds=0.05, times=2)
        rig.script = honest(coding=[limited()] * 9)
        run = await rig.run(workflow=SHORT)
        story = await rig.story(run)
        assert (run.status, story.outcome.cause) == (RunStatus.FAILED, FailureCause.STEP)
        assert len(await deferrals(rig, run)) == 2
        ends = [fact for fact in await rig.facts(run) if isinstance(fact, story_facts.StepFailed)]
        assert [end.trouble for end in ends] == [Trouble.LIMITED, Trouble.LIMITED], "then its retries are spent"
        assert "a limit of scripted was reached 3 times, which is too often: 429" in story.outcome.reason

    asyncio.run(scenario())


def test_a_limit_that_is_only_guessed_is_waited_for_three_times(rig: Rig) -> None:
    async def scenario() -> None:
        rig.patience = Patience(longest_seconds=0.05)
        rig.script = honest(coding=[replace(limited(), guessed=True)] * 9)
        run = await rig.run(workflow=SHORT)
        story = await rig.story(run)
        assert (run.status, len(await deferrals(rig, run))) == (RunStatus.FAILED, 3)
        assert "a limit of scripted was reached 4 times, which is too often: 429" in story.outcome.reason

    asyncio.run(scenario())


def test_a_cancelled_story_stops_waiting(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[limited(3600)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await waiting(rig, run)
            await cancel_run(context.inbox, run)
            ended = await asyncio.wait_for(wait_for(context, run), timeout=60)  # not an hour
        assert ended.status is RunStatus.CANCELLED
        assert (await rig.story(run)).outcome.cause is FailureCause.CANCELLED

    asyncio.run(scenario())


def test_a_wait_outlives_its_process_and_what_the_engine_remembers(rig: Rig) -> None:
    async def scenario() -> None:
        rig.clock = clock = Held()
        rig.script = honest(coding=[limited(3600)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            until = (await waiting(rig, run)).rate_limit.wait
        clock.release(ahead=2 * 3600)
        async with rig.open() as context:
            assert (await rig.story(run)).rate_limit.wait == until
            await resume_run(context, run)
            ended = await asyncio.wait_for(wait_for(context, run), timeout=60)
        assert ended.status is RunStatus.COMPLETED
        lines = kinds(await rig.facts(run))
        assert (lines.count("StepDeferred"), lines.count("WaitEnded"), lines.count("StepInterrupted")) == (1, 1, 0)

    asyncio.run(scenario())


def test_the_end_of_a_wait_is_recorded_also_if_a_message_came_meanwhile(rig: Rig) -> None:
    """The wait is asked for twice with the same key, and a key is recorded once."""

    async def scenario() -> None:
        rig.clock = clock = Held()
        rig.script = honest(coding=[limited(3600)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await waiting(rig, run)
            edit = Edit(operation=Operation.SKIP, target=StepId("S-99"), reason="not needed")
            asked = story_facts.WorkflowEditRequested(at=messages.UNREAD, edits=(edit,))
            await messages.send(context.inbox, story_stream(run, StoryId("US-001")), "edit", asked)
            async with asyncio.timeout(60):
                while "WorkflowEditRejected" not in kinds(await rig.facts(run)):
                    await asyncio.sleep(0.01)
        clock.release(ahead=2 * 3600)
        async with rig.open() as context:
            await resume_run(context, run)
            ended = await asyncio.wait_for(wait_for(context, run), timeout=60)
        assert ended.status is RunStatus.COMPLETED
        assert kinds(await rig.facts(run)).count("WaitEnded") == 1

    asyncio.run(scenario())


def test_a_profile_that_the_settings_name_by_then_continues_when_the_run_is_taken_up(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[limited(3600)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await waiting(rig, run)
        rig.others, rig.fallbacks = {"thorough": ScriptedAgent(honest())}, {"scripted": ("thorough",)}
        ended = await rig.carried_on(run)
        assert ended.status is RunStatus.COMPLETED
        assert await profiles(rig, ended) == ["scripted", "thorough", "thorough"]

    asyncio.run(scenario())


class Astray(SystemClock):
    """Some seconds ahead, until it is put right."""

    ahead = 0.0

    def now(self) -> float:
        return super().now() + self.ahead


@pytest.mark.parametrize("at_once", [True, False])
def test_a_clock_that_is_put_right_lengthens_no_wait_beyond_patience(rig: Rig, *, at_once: bool) -> None:
    """Put right while the process that waits still lives, or before another takes the run up."""

    async def scenario() -> None:
        rig.clock, rig.patience = (clock := Astray()), Patience(longest_seconds=1)
        clock.ahead = 365 * 86400.0
        rig.script = honest(coding=[limited()])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StepDeferred) for sighting in rig.seen))
            clock.ahead = 0.0
            if at_once:
                assert (await asyncio.wait_for(wait_for(context, run), timeout=60)).status is RunStatus.COMPLETED
        if not at_once:
            assert (await rig.carried_on(run)).status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_clock_that_is_set_back_during_a_wait_does_not_prolong_it(rig: Rig) -> None:
    async def scenario() -> None:
        rig.clock = clock = Astray()
        rig.script = honest(coding=[limited(2)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: bool(context.longest_waits))
            clock.ahead = -3600.0
            assert (await asyncio.wait_for(wait_for(context, run), timeout=60)).status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_limits_that_are_met_before_their_reported_end_use_up_no_patience(rig: Rig) -> None:
    async def scenario() -> None:
        rig.patience = Patience(longest_seconds=0.05, times=2000)
        rig.script = honest(coding=[limited(3600)] * 3)
        run = await rig.run(workflow=SHORT)
        assert run.status is RunStatus.COMPLETED
        first = (await deferrals(rig, run))[0]
        assert first.promised == pytest.approx(first.at + 100), "all the waits that patience is good for"
        step = (await rig.story(run)).pipeline.steps[0]
        assert (step.deferrals, step.in_vain) == (3, 1)

    asyncio.run(scenario())


def test_waiting_is_shown_apart_with_its_time(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[limited(3600)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            wait = (await waiting(rig, run)).rate_limit.wait
            view = await run_view(rig.store.queries, run, lives)
            assert (view.activity, view.moves, view.stories[0].activity) == (
                Activity.LIMITED,
                True,
                StoryActivity.WAITING,
            )
            story = view.stories[0].story
            assert wait
            assert story.waiting == WaitingPart(cause=WaitCause.RATE_LIMIT, detail="429", until=wait.until)
            assert (waiting_text(story), reason(story)) == ("reset: 429", "429")
            values = story_columns(story)
            assert (values["hold"], values["waiting"]) == ("", "reset: 429"), "no person is needed"
            assert (await run_view(rig.store.queries, run, is_dead)).activity is Activity.INTERRUPTED

    asyncio.run(scenario())


def test_an_attempt_that_has_long_been_silent_is_stuck(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: any(isinstance(sighting.what, AgentEvent) for sighting in rig.seen))
            working = await run_view(rig.store.queries, run, lives, silent=lambda _: False)
            assert (working.activity, working.stories[0].activity) == (Activity.WORKING, StoryActivity.WORKING)
            stuck = await run_view(rig.store.queries, run, lives, silent=bool)
            assert (stuck.activity, stuck.stories[0].activity) == (Activity.STUCK, StoryActivity.STUCK)
            assert (await run_view(rig.store.queries, run, is_dead)).stories[0].activity is None

    asyncio.run(scenario())


# Which profile continues ---------------------------------------------------------------------------------------------


@dataclass
class Cast:
    """A second agent beside the scripted one; records which agent was asked for which model, in order."""

    asked: list[tuple[str, str]] = field(default_factory=list)

    def member(self, name: str, script: Callable[[AgentTask], Turn]) -> ScriptedAgent:
        def play(task: AgentTask) -> Turn:
            self.asked.append((name, task.model))
            return script(task)

        return ScriptedAgent(play)


async def profiles(rig: Rig, run: RunState) -> list[str]:
    return [fact.agent for fact in await rig.facts(run) if isinstance(fact, story_facts.StepStarted)]


def test_the_next_profile_continues_at_once_and_the_first_again_when_its_limit_is_over(rig: Rig) -> None:
    async def scenario() -> None:
        cast = Cast()
        rig.agent = cast.member("scripted", limited_once(rig, 1.0, until_recorded=False))

        def an_hour(task: AgentTask) -> Turn:
            if isinstance(rig.clock, Held):
                rig.clock.release(ahead=2 * 3600)
            return done(write={"work.txt": "w\n"})

        rig.others = {"thorough": cast.member("thorough", an_hour)}
        rig.fallbacks = {"scripted": ("nobody", "thorough")}
        run = await rig.run(workflow=SHORT)
        assert run.status is RunStatus.COMPLETED
        assert await profiles(rig, run) == ["scripted", "thorough", "scripted"]
        assert "WaitEnded" not in kinds(await rig.facts(run))
        steps = (await rig.store.queries.steps(run.given.run))[:2]
        assert [step.agent for step in steps] == ["thorough", "scripted"]

    asyncio.run(scenario())


def test_where_all_profiles_are_limited_the_soonest_is_waited_for(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[limited(3600)])
        rig.others = {"thorough": ScriptedAgent(limited_once(rig, 0.5))}
        rig.fallbacks = {"scripted": ("thorough",)}
        run = await rig.run(workflow=SHORT)
        assert await profiles(rig, run) == ["scripted", "thorough", "thorough", "thorough"]
        first, second = await deferrals(rig, run)
        assert first.until == first.at < first.resets_at
        assert second.until == second.resets_at < first.resets_at

    asyncio.run(scenario())


def test_a_profile_that_continues_in_anothers_place_does_not_get_the_others_model(rig: Rig) -> None:
    async def scenario() -> None:
        cast = Cast()
        rig.models = {"thorough": "large"}
        rig.agent = cast.member("scripted", honest(coding=[limited(3600)]))
        rig.others = {
            "thorough": cast.member("thorough", honest(coding=[limited(3600)])),
            "quick": cast.member("quick", honest()),
        }
        rig.fallbacks = {"scripted": ("thorough", "quick")}
        coder = AgentPlan(id="coder", name="Coder", model="small")
        (loop,) = SHORT.steps
        steps = (catalogue_step("coding"), catalogue_step("final_review"))
        body = tuple(replace(step, agent="coder") for step in steps)
        workflow = replace(SHORT, agents=(coder,), steps=(replace(loop, body=body),))
        await rig.run(workflow=workflow)
        assert cast.asked == [("scripted", "small"), ("thorough", "large"), ("quick", ""), ("quick", "")]

    asyncio.run(scenario())


# Repeated calls ------------------------------------------------------------------------------------------------------


class RepeatingAgent:
    """Makes these calls, one after the other, and then ends only when it is ended."""

    def __init__(self, *calls: str) -> None:
        self._calls = calls

    async def attempt(self, task: AgentTask, listener: Listener) -> AgentReport:
        for call in self._calls:
            listener(AgentEvent(kind=EventKind.TOOL_START, tool="Bash", text="ls", call=call))
            listener(AgentEvent(kind=EventKind.TOOL_END, tool="Bash", text="nothing"))
        await asyncio.sleep(100)
        return AgentReport(ending=Ending.CRASHED, detail="came to nothing")

    async def probe(self) -> str:
        return "repeating"


def test_an_agent_that_makes_the_same_call_again_and_again_is_ended_and_reported(rig: Rig) -> None:
    async def scenario() -> None:
        rig.agent = RepeatingAgent("a", "b", "b", "b")
        run = await rig.run(workflow=SHORT)
        ends = [fact for fact in await rig.facts(run) if isinstance(fact, story_facts.StepCancelled)]
        assert [end.trouble for end in ends] == [Trouble.LOOPING, Trouble.LOOPING]
        assert ends[0].error == "the same call of Bash was made 3 times in a row: ls"
        (retried,) = (fact for fact in await rig.facts(run) if isinstance(fact, story_facts.StepRetried))
        assert retried.feedback == ends[0].error

    asyncio.run(scenario())


def test_calls_without_known_content_are_not_repetitions(rig: Rig) -> None:
    async def scenario() -> None:
        rig.agent = RepeatingAgent("b", "b", "a", "b", "b", *[""] * 9)
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: sum(isinstance(sighting.what, AgentEvent) for sighting in rig.seen) == 28)
            assert "StepCancelled" not in kinds(await rig.facts(run))

    asyncio.run(scenario())


def test_a_limit_is_in_the_export_and_in_the_report(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = limited_once(rig, 0.2)
        run = await rig.run(workflow=SHORT)
        result = await account(rig.store.events, run.given.run)
        (deferred,) = await deferrals(rig, run)
        history = export(result, rig.repo)["stories"]["US-001"]["history"]
        (entry,) = (item for item in history if item["action"] == "step_cancelled")
        assert (entry["details"]["trouble"], entry["details"]["error"]) == ("limited", "429")
        assert "step-001 attempt 1: scripted was at a limit, waited until " in (text := report(result))
        assert deferred.diff in text

    asyncio.run(scenario())
