"""A run within its budget: allowances before attempts, settlements after them, a hard stop, and continuing."""

import asyncio
from collections.abc import Callable

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.runs import cancel_run, raise_limits, resume_run, wait_for
from shiftwork.app.folds import RUN, load
from shiftwork.app.messaging.messages import facts_of
from shiftwork.app.views.amounts import reached_of
from shiftwork.domain.budget.amounts import Amount, Budget, Reached, Whose
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import RunId, StoryId, run_stream, story_stream
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import HoldCause
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.domain.workflow.workflow import StepKind, catalogue_step
from shiftwork.ports.agent import AgentTask, Ending
from shiftwork.ports.rows.row_parts import WaitingPart
from shiftwork.ports.store import Message
from shiftwork.testing.builders import asked, planned
from tests.app.rig import Rig, done, honest, story_workflow

SHORT = story_workflow(catalogue_step("planning"), catalogue_step("coding"))
STORY = StoryId("US-001")


def costs(usd: float | None, tokens: int = 100) -> Callable[[AgentTask], Turn]:
    """Every attempt costs the same, and the coding one does the work."""
    usage = Usage(input_tokens=tokens, cost_usd=usd)
    return honest(planning=[done(usage=usage)], coding=[done(usage=usage, write={"work.txt": "w"})])


def held(rig: Rig) -> Callable[[], bool]:
    return lambda: any(isinstance(sighting.what, story_facts.AllowanceRefused) for sighting in rig.seen)


async def ledger_of(rig: Rig, run: RunId) -> RunState:
    return await load(rig.store.events, RUN, run_stream(run))


def test_without_a_limit_of_the_run_no_one_is_asked_for_anything(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = costs(1.0)
        run = await rig.run(workflow=SHORT, limits=Limits(story=Budget(usd=9.0), step=Budget(tokens=1000)))
        assert run.status is RunStatus.COMPLETED
        lines = {type(fact).__name__ for fact in (*await rig.facts(run), *await rig.facts(run, ""))}
        assert not lines & {"AllowanceClaimed", "AllowanceAsked", "AmountReserved", "AttemptSettled"}

    asyncio.run(scenario())


@pytest.mark.parametrize("thrifty", [True, False])
def test_each_attempt_has_a_reservation_and_is_settled(rig: Rig, *, thrifty: bool) -> None:
    async def scenario() -> None:
        caps: list[float | None] = []
        script = costs(0.25)

        def noted(task: AgentTask) -> Turn:
            caps.append(task.limits.cost_usd)
            return script(task)

        rig.script = noted
        rig.thrifty = frozenset({"scripted"} if thrifty else ())
        run = await rig.run(workflow=SHORT, limits=Limits(run=Budget(usd=9.0), attempt=Amount(usd=1.0, tokens=50)))
        assert run.status is RunStatus.COMPLETED
        assert run.spending.ledger.spent == Amount(usd=0.5, tokens=200, sessions=2)
        assert (run.spending.ledger.reserved, run.spending.ledger.claims) == ({}, {})
        assert run.spending.ledger.overshoot == Amount(tokens=50), "no money was needed beyond the reserved amount"
        assert caps == ([0.8, 0.8] if thrifty else [None, None])

    asyncio.run(scenario())


def test_a_run_stops_at_its_limit_and_continues_when_it_is_raised(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = costs(1.2)
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT, limits=Limits(run=Budget(usd=1.0)))
            await rig.until(held(rig))
            story = await rig.story(run)
            assert story.waiting.hold is not None
            assert story.waiting.hold.cause is HoldCause.LIMIT
            over = "one attempt up to 0.20 USD more than was reserved for it"
            assert story.waiting.hold.detail == f"the run has spent 1.20 of 1.00 USD, {over}"
            (row,) = await rig.store.queries.stories(run)
            reached = Reached(whose=Whose.RUN, limit=Budget(usd=1.0), spent=Budget(usd=1.2))
            assert story.waiting.hold.reached == reached_of(row) == reached
            await raise_limits(context.inbox, run, "1", Limits(run=Budget(usd=1.1)))
            await rig.until(
                lambda: sum(isinstance(sighting.what, story_facts.AllowanceRefused) for sighting in rig.seen) == 2
            )
        async with rig.open() as context:  # as from another process, some days later
            await raise_limits(context.inbox, run, "2", Limits(run=Budget(usd=3.0)))
            await resume_run(context, run)
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert state.status is RunStatus.COMPLETED
            (row,) = await rig.store.queries.stories(run)
            assert (row.waiting, reached_of(row)) == (WaitingPart(), None)
            assert state.spending.ledger.spent.usd == pytest.approx(2.4)
            assert state.given.limits.run == Budget(usd=3.0)

    asyncio.run(scenario())


def test_a_run_stops_at_its_last_session_and_continues_when_more_are_allowed(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = costs(None)
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT, limits=Limits(run=Budget(sessions=1)))
            await rig.until(held(rig))
            story = await rig.story(run)
            assert story.waiting.hold is not None
            assert story.waiting.hold.detail == "the run has spent 1 of 1 session"
            (row,) = await rig.store.queries.stories(run)
            reached = Reached(whose=Whose.RUN, limit=Budget(sessions=1), spent=Budget(sessions=1))
            assert story.waiting.hold.reached == reached_of(row) == reached
            await raise_limits(context.inbox, run, "1", Limits(run=Budget(sessions=2)))
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert (state.status, state.spending.ledger.spent.sessions) == (RunStatus.COMPLETED, 2)

    asyncio.run(scenario())


def test_a_story_stops_at_its_last_session_but_its_gates_still_run(rig: Rig) -> None:
    gated = story_workflow(catalogue_step("coding"), planned("check", kind=StepKind.GATE), catalogue_step("review"))

    async def scenario() -> None:
        rig.script = honest(coding=[done(write={"work.txt": "w"})])
        async with rig.open() as context:
            run = await rig.start(context, workflow=gated, limits=Limits(story=Budget(sessions=1)))
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StoryHeld) for sighting in rig.seen))
            story = await rig.story(run)
            assert story.waiting.hold is not None
            assert story.waiting.hold.detail == "the story has spent 1 of 1 session"
            assert [step.status for step in story.pipeline.steps][:2] == [StepStatus.COMPLETED] * 2
            await raise_limits(context.inbox, run, "1", Limits(story=Budget(sessions=2)))
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert state.status is RunStatus.COMPLETED

    asyncio.run(scenario())


def test_stories_side_by_side_keep_to_one_number_of_sessions(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = lambda task: done(write={f"{task.env['SHIFTWORK_STORY']}.txt": "w"})
        rig.gates = ()
        spec = Spec(title="many", description="many", stories=tuple(map(asked, (1, 2, 3))))
        async with rig.open() as context:
            run = await rig.start(context, spec, workflow=SHORT, limits=Limits(run=Budget(sessions=4)), parallel=3)
            await rig.until(held(rig))
            assert (await ledger_of(rig, run)).spending.ledger.spent.sessions == 4
            await raise_limits(context.inbox, run, "1", Limits(run=Budget(sessions=6)))
            ended = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert (ended.status, ended.spending.ledger.spent.sessions) == (RunStatus.COMPLETED, 6)

    asyncio.run(scenario())


def test_a_shortage_that_a_release_before_has_reported_in_words_alone_is_understood() -> None:
    body = {"kind": "AllowanceRefused", "version": 1, "body": {"at": 0.0, "number": 1, "detail": "spent"}}
    message = Message(position=1, key="shortage/US-001/1/0", body=body)
    (refused, _) = facts_of(story_stream(RunId("r"), STORY), [message], at=2.0)
    assert refused == story_facts.AllowanceRefused(at=2.0, number=1, detail="spent", reached=None)


def test_stories_side_by_side_keep_to_one_budget(rig: Rig) -> None:
    async def scenario() -> None:
        usage = Usage(input_tokens=1, cost_usd=1.0)
        rig.script = lambda task: done(usage=usage, write={f"{task.env['SHIFTWORK_STORY']}.txt": "w"})
        rig.thrifty = frozenset({"scripted"})
        rig.gates = ()
        spec = Spec(title="many", description="many", stories=tuple(map(asked, (1, 2, 3))))
        limits = Limits(run=Budget(usd=4.0), attempt=Amount(usd=1.0, tokens=1))
        async with rig.open() as context:
            run = await rig.start(context, spec, workflow=SHORT, limits=limits, parallel=3)
            await rig.until(held(rig))
            state = await ledger_of(rig, run)
            assert state.spending.ledger.spent.usd <= 4.0
            await raise_limits(context.inbox, run, "1", Limits(run=Budget(usd=40.0)))
            ended = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert ended.spending.ledger.spent.usd == pytest.approx(6.0)

    asyncio.run(scenario())


def test_an_agent_that_stops_at_its_cap_costs_no_retry(rig: Rig) -> None:
    async def scenario() -> None:
        spent = Usage(input_tokens=10, cost_usd=1.0)
        cut = done(ending=Ending.SPENT, usage=spent, write={"half.txt": "h"})
        rig.script = honest(planning=[cut, done(usage=spent)], coding=[done(usage=spent, write={"work.txt": "w"})])
        rig.thrifty = frozenset({"scripted"})
        limits = Limits(run=Budget(usd=9.0), attempt=Amount(usd=1.0, tokens=1))
        run = await rig.run(workflow=SHORT, limits=limits)
        assert run.status is RunStatus.COMPLETED
        story = await rig.story(run)
        assert [(step.attempts, step.retries) for step in story.pipeline.steps] == [(2, 0), (1, 0)]
        (step_cut_short,) = [fact for fact in await rig.facts(run) if isinstance(fact, story_facts.StepCutShort)]
        assert step_cut_short.diff
        assert run.spending.ledger.spent.usd == pytest.approx(3.0)

    asyncio.run(scenario())


@pytest.mark.parametrize("used", [Usage(), Usage(cost_usd=1.0)], ids=["without a cost", "without a cap"])
def test_one_that_stops_for_its_cap_though_it_had_none_to_stop_for_has_failed(rig: Rig, used: Usage) -> None:
    async def scenario() -> None:
        rig.script = honest(planning=[Turn(ending=Ending.SPENT, usage=used), done()])
        run = await rig.run(workflow=SHORT)
        failed = [fact for fact in await rig.facts(run) if isinstance(fact, story_facts.StepFailed)]
        assert [fact.trouble for fact in failed] == [story_facts.Trouble.CRASHED]

    asyncio.run(scenario())


def test_one_that_stops_for_its_cap_far_from_it_is_not_begun_without_end(rig: Rig) -> None:
    async def scenario() -> None:
        sure = Turn(ending=Ending.SPENT, usage=Usage(input_tokens=10, cost_usd=0.0001))
        rig.script = honest(planning=[sure] * 9)
        rig.thrifty = frozenset({"scripted"})
        run = await rig.run(workflow=SHORT, limits=Limits(run=Budget(usd=9.0), attempt=Amount(usd=1.0, tokens=1)))
        assert run.status is RunStatus.FAILED
        step = (await rig.story(run)).pipeline.steps[0]
        assert (step.status, step.attempts) == (StepStatus.FAILED, step.plan.max_retries + 1)

    asyncio.run(scenario())


@pytest.mark.parametrize(("price", "cost"), [(0.5, 0.5), (None, None)])
def test_an_agent_that_reports_no_price_has_one_by_its_tokens(
    rig: Rig, price: float | None, cost: float | None
) -> None:
    async def scenario() -> None:
        rig.script = costs(None)
        rig.price = lambda _, usage: price and usage.input_tokens / 100 * price
        run = await rig.run(workflow=story_workflow(catalogue_step("coding")))
        usage = (await rig.story(run)).spending.usage
        assert (usage.cost_usd, usage.estimated) == (cost, price is not None)

    asyncio.run(scenario())


def test_what_no_one_can_price_counts_as_all_that_was_reserved(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = costs(None)
        run = await rig.run(workflow=SHORT, limits=Limits(run=Budget(usd=9.0), attempt=Amount(usd=1.0, tokens=1)))
        assert run.spending.ledger.spent.usd == run.spending.ledger.guessed.usd == pytest.approx(2.0)

    asyncio.run(scenario())


def test_a_story_that_is_cancelled_while_it_waits_claims_nothing_more(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = costs(1.2)
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT, limits=Limits(run=Budget(usd=1.0)))
            await rig.until(held(rig))
            await cancel_run(context.inbox, run)
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert (state.status, state.spending.ledger.claims) == (RunStatus.CANCELLED, {})

    asyncio.run(scenario())
