"""Limits that are set or changed during a run hold for every story from then on, even if a process is killed then."""

import asyncio
from collections.abc import Callable

import pytest

from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.app.commands.intents import ask, at_rest
from shiftwork.app.commands.runs import cancel_run, raise_limits, resume_run, wait_for
from shiftwork.app.folds import RUN, load
from shiftwork.app.runtime.context import Context
from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import RunId, StoryId, run_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import HoldCause
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, catalogue_step
from shiftwork.ports.agent import AgentReport, AgentTask, Listener
from shiftwork.testing.builders import asked
from tests.app.rig import Rig, done, story_workflow

STEPS = story_workflow(catalogue_step("planning"), catalogue_step("coding"), catalogue_step("final_review"))
CODING = "step-002"
CHEAP = Amount(usd=0.01, tokens=1)


def pays(usd: float, *, dies_in: str = "") -> Callable[[AgentTask], Turn]:
    """Every attempt costs the same; the first one at the coding of that story never ends by itself."""
    died: list[str] = []

    def script(task: AgentTask) -> Turn:
        story = task.env["SHIFTWORK_STORY"]
        if story == dies_in and task.env["SHIFTWORK_STEP_TYPE"] == "coding" and not died:
            died.append(story)
            return done(pause=60)
        return done(usage=Usage(input_tokens=10, cost_usd=usd), write={"work.txt": "w", f"{story}.txt": "w"})

    return script


async def killed(rig: Rig, limits: Limits, *, story: str = "US-001", spec: Spec | None = None) -> RunId:
    """A run whose worker is killed while that story is being coded."""
    async with rig.open() as context:
        run = await rig.start(context, spec, workflow=STEPS, limits=limits)
        await rig.at_work(CODING, story)
    return run


def saw(rig: Rig, kind: type[Fact], *, story: str = "", step: str = "") -> int:
    return sum(
        isinstance(sighting.what, kind)
        and sighting.stream.endswith(story)
        and (not step or getattr(sighting.what, "step", "") == step)
        for sighting in rig.seen
    )


async def over(context: Context, run: RunId) -> RunState:
    return await asyncio.wait_for(wait_for(context, run), timeout=60)


async def known(rig: Rig, run: RunId) -> RunState:
    return await load(rig.store.events, RUN, run_stream(run))


class Gated:
    """Costs a dollar an attempt; coding ends when the event is set."""

    def __init__(self, goes: asyncio.Event) -> None:
        self._goes = goes
        self._agent = ScriptedAgent(pays(1.0))

    async def probe(self) -> str:
        return await self._agent.probe()

    async def attempt(self, task: AgentTask, listener: Listener) -> AgentReport:
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding":
            await self._goes.wait()
        return await self._agent.attempt(task, listener)


def test_a_first_limit_holds_for_the_story_in_progress_and_counts_what_was_spent_before(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = pays(5.0, dies_in="US-001")
        run = await killed(rig, Limits(attempt=CHEAP))
        async with rig.open() as context:
            await raise_limits(context.inbox, run, "1", Limits(run=Budget(usd=6.0)))
            await resume_run(context, run)
            await rig.until(lambda: saw(rig, story_facts.AllowanceRefused) > 0)
            state, story = await known(rig, run), await rig.story(run)
        assert story.spending.usage.cost_usd == 10.0, "one attempt before, and the one that passed the limit"
        assert state.spending.ledger.spent.usd == pytest.approx(10.0 + CHEAP.usd), "the one that died is a guess"
        assert state.spending.ledger.guessed.usd == pytest.approx(CHEAP.usd)
        assert story.waiting.hold is not None
        assert story.waiting.hold.detail.startswith("the run has spent 10.01 of 6.00 USD")

    asyncio.run(scenario())


@pytest.mark.parametrize("before", [None, 5.5])
def test_a_limit_that_is_set_for_a_run_that_is_over_holds_when_it_continues(rig: Rig, before: float | None) -> None:
    async def scenario() -> None:
        rig.gates, rig.script = (), pays(5.0, dies_in="" if before else "US-001")
        async with rig.open() as context:
            run = await rig.start(context, workflow=STEPS, limits=Limits(run=Budget(usd=before), attempt=CHEAP))
            if before:
                await rig.until(lambda: saw(rig, story_facts.AllowanceRefused) > 0)
            else:
                await rig.at_work(CODING)
            await cancel_run(context.inbox, run)
            assert (await over(context, run)).status is RunStatus.CANCELLED
            await raise_limits(context.inbox, run, "1", Limits(run=Budget(usd=7.0)))
            assert (await resume_run(context, run)).status is RunStatus.CANCELLED, "a limit alone asks for nothing"
            again = run_facts.StoryRetryRequested(at=0, story=StoryId("US-001"))
            await ask(context.events, context.inbox, run, again, "again")
            refused = saw(rig, story_facts.AllowanceRefused)
            await resume_run(context, run)
            await rig.until(lambda: saw(rig, story_facts.AllowanceRefused) > refused)
            story = await rig.story(run)
            assert story.waiting.hold is not None
            assert " of 7.00 USD" in story.waiting.hold.detail
            await raise_limits(context.inbox, run, "2", Limits(run=Budget(usd=90.0)))
            assert (await over(context, run)).status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_a_limit_that_comes_with_a_retry_holds_from_its_first_attempt_on(rig: Rig) -> None:
    async def scenario() -> None:
        rig.gates, rig.script = (), pays(5.0)
        async with rig.open() as context:
            run = await rig.start(context, workflow=STEPS, limits=Limits(run=Budget(usd=4.0), attempt=CHEAP))
            await rig.until(lambda: saw(rig, story_facts.AllowanceRefused) > 0)
            await cancel_run(context.inbox, run)
            assert (await over(context, run)).status is RunStatus.CANCELLED
            again = run_facts.StoryRetryRequested(at=0, story=StoryId("US-001"), limits=Limits(run=Budget(usd=90.0)))
            await ask(context.events, context.inbox, run, again, "again")
        refused = saw(rig, story_facts.AllowanceRefused)
        assert (await rig.carried_on(run)).status is RunStatus.COMPLETED
        assert saw(rig, story_facts.AllowanceRefused) == refused

    asyncio.run(scenario())


def test_a_first_limit_counts_the_stories_that_have_ended_before(rig: Rig) -> None:
    async def scenario() -> None:
        rig.gates, rig.script = (), pays(5.0, dies_in="US-002")
        spec = Spec(title="many", description="many", stories=tuple(map(asked, (1, 2, 3))))
        run = await killed(rig, Limits(attempt=CHEAP), story="US-002", spec=spec)
        async with rig.open() as context:  # 20 USD are spent
            await raise_limits(context.inbox, run, "1", Limits(run=Budget(usd=31.0)))
            await resume_run(context, run)
            await rig.until(lambda: saw(rig, story_facts.AllowanceRefused) > 0)
            spent = (await known(rig, run)).spending.ledger.spent.usd
        assert spent <= 31.0 + 5.0
        assert spent > 20.0

    asyncio.run(scenario())


def test_a_limit_of_the_story_that_is_raised_reaches_one_that_had_not_come_to_it(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = pays(0.6, dies_in="US-001")
        run = await killed(rig, Limits(story=Budget(usd=1.0)))
        async with rig.open() as context:
            await raise_limits(context.inbox, run, "1", Limits(story=Budget(usd=50.0)))
            await resume_run(context, run)
            assert (await over(context, run)).status is RunStatus.COMPLETED
        assert not saw(rig, story_facts.StoryHeld)

    asyncio.run(scenario())


def test_a_limit_that_comes_while_somebody_works_holds_for_stories_side_by_side(rig: Rig) -> None:
    async def scenario() -> None:
        goes = asyncio.Event()
        rig.gates, rig.agent = (), Gated(goes)
        spec = Spec(title="many", description="many", stories=tuple(map(asked, (1, 2, 3))))
        async with rig.open() as context:
            run = await rig.start(context, spec, workflow=STEPS, limits=Limits(attempt=CHEAP), parallel=3)
            await rig.until(lambda: saw(rig, story_facts.StepStarted, step=CODING) == 3)
            await raise_limits(context.inbox, run, "1", Limits(run=Budget(usd=7.0)))
            await rig.until(lambda: saw(rig, run_facts.LimitsForwarded) == 3)
            goes.set()  # 3 USD before, 3 USD of the attempts in progress: one more may be made
            await rig.until(lambda: saw(rig, story_facts.AllowanceRefused) == 2)
            state = await known(rig, run)
            assert state.spending.ledger.spent.usd == pytest.approx(7.0)
            await raise_limits(context.inbox, run, "2", Limits(run=Budget(usd=90.0)))
            ended = await over(context, run)
        assert (ended.status, ended.spending.ledger.spent.usd, ended.totals.spent) == (RunStatus.COMPLETED, 9.0, 9.0)

    asyncio.run(scenario())


def test_a_raised_limit_answers_no_other_question(rig: Rig) -> None:
    async def scenario() -> None:
        asks = StepPlan(name="ok", type="approval", kind=StepKind.APPROVAL, description="May this land?")
        async with rig.open() as context:
            run = await rig.start(context, workflow=story_workflow(catalogue_step("coding"), asks))
            await rig.until(lambda: saw(rig, story_facts.StoryHeld) > 0)
            await raise_limits(context.inbox, run, "1", Limits(story=Budget(usd=5.0)))
            await rig.until(lambda: saw(rig, story_facts.LimitsSet) > 0)
            story = await rig.story(run)
        assert story.waiting.hold is not None
        assert (story.waiting.hold.cause, story.spending.limits.story.usd) == (HoldCause.APPROVAL, 5.0)

    asyncio.run(scenario())
    assert rig.log() == ["start"]


@pytest.mark.parametrize("received", [False, True])
def test_anyone_who_is_killed_after_raising_a_limit_has_raised_it(rig: Rig, *, received: bool) -> None:
    """Also where the run had received it already, and had forwarded it to no story."""

    async def scenario() -> None:
        rig.script = pays(1.2)
        async with rig.open() as context:
            run = await rig.start(context, workflow=STEPS, limits=Limits(run=Budget(usd=1.0)))
            await rig.until(lambda: saw(rig, story_facts.AllowanceRefused) > 0)
            await rig.until(lambda: saw(rig, run_facts.ShortageReported) > 0)
            async with asyncio.timeout(60):
                while not await at_rest(context.events, context.inbox, run):  # its story has yet to read of it
                    await asyncio.sleep(0.01)
        stream = run_stream(run)
        await raise_limits(rig.store.inbox, run, "1", Limits(run=Budget(usd=90.0)))
        if received:
            unread_messages = await rig.store.inbox.receive(stream, after=(await known(rig, run)).cursor)
            raised = run_facts.LimitsRaised(at=1, limits=Limits(run=Budget(usd=90.0)))
            read = MessagesRead(at=1, upto=unread_messages[-1].position)
            version = await rig.store.events.version(stream)
            await rig.store.events.append(stream, (raised, read), expected=version, key="read")
        assert not await at_rest(rig.store.events, rig.store.inbox, run)
        ended = await rig.carried_on(run)
        assert (ended.status, ended.spending.ledger.claims) == (RunStatus.COMPLETED, {})
        assert sum(isinstance(fact, story_facts.LimitsSet) for fact in await rig.facts(run)) == 1, (
            "sent once, whichever process sends it"
        )

    asyncio.run(scenario())
