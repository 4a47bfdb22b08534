"""What front ends show of a run, computed from rows and from whether its worker is alive."""

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.runs import raise_limits, wait_for
from shiftwork.app.views.amounts import reached_of
from shiftwork.app.views.history import account
from shiftwork.app.views.queries import (
    is_meant,
    needing_elsewhere,
    outlines,
    run_view,
    runs_with,
    unfinished,
)
from shiftwork.app.views.run_views import PLAN, Activity, RunOutline, proof_of, reason, waiting_text
from shiftwork.domain.agents.idle_time import NOT_IDLE, Idle
from shiftwork.domain.budget.amounts import Budget, Reached, Whose
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import FRAME, Stream
from shiftwork.domain.proof.verdict import ProofLevel, ProofStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.usage.totals import one_attempt
from shiftwork.domain.usage.usage import Usage
from shiftwork.errors import UnknownRunError
from shiftwork.ports.agent import AgentTask
from shiftwork.ports.rows.row_parts import ProofPart, WaitCause, WaitingPart
from shiftwork.ports.views import Owner, Queries, RunRow, WaitedRow
from shiftwork.testing.builders import asked
from shiftwork.testing.conformance.store_stage import run_row, story_row
from tests.app.reported import report
from tests.app.rig import SHORT, Rig, done, honest

USED = Usage(cost_usd=2.0, input_tokens=100, output_tokens=30)


def lives(owner: Owner) -> bool:
    return owner.pid > 0


def test_how_far_a_story_is_proved_is_reported_by_its_row() -> None:
    proof = ProofPart(level="partly", shown=1, criteria=2, remark="gate test is blind")
    row = replace(story_row("r1", "US-001"), proof=proof)
    status = ProofStatus(level=ProofLevel.PARTLY, shown=1, criteria=2, remark="gate test is blind")
    assert proof_of(row) == status
    assert proof_of(story_row("r1", "US-001")) is None


def is_dead(owner: Owner) -> bool:
    return owner.pid < 0


def is_unknown(owner: Owner) -> None:
    """As for a process on another host."""


async def is_served(view: RunOutline) -> bool:
    return bool(view.run.run)


def test_a_run_is_working_while_its_process_lives_and_interrupted_when_not(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StepStarted) for sighting in rig.seen))
            queries = rig.store.queries
            assert (await run_view(queries, run, lives)).activity is Activity.WORKING
            assert (await run_view(queries, run, is_unknown)).activity is Activity.WORKING
            assert (await run_view(queries, run, is_dead)).activity is Activity.INTERRUPTED
            assert (await run_view(queries, run, is_dead, served=is_served)).activity is Activity.QUEUED
            assert (await run_view(queries, run, is_dead)).worker is None
            await context.leases.leave(context.owner)
            assert (await run_view(queries, run, is_unknown)).worker is None, "its last sign of life is too old"

    asyncio.run(scenario())


class Overtaken:
    """Returns once the row of a run from before it ended, although it has just ended."""

    def __init__(self, queries: Queries, before: RunRow) -> None:
        self._queries = queries
        self._before: RunRow | None = before

    async def run(self, run: str) -> RunRow | None:
        before, self._before = self._before, None
        return before or await self._queries.run(run)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queries, name)


def test_a_run_that_ends_while_it_is_looked_at_is_over_and_not_interrupted(rig: Rig) -> None:
    run = asyncio.run(rig.run(workflow=SHORT)).given.run
    row = asyncio.run(rig.store.queries.run(run))
    assert row is not None
    queries = cast("Queries", Overtaken(rig.store.queries, replace(row, status="running", ended_at=None)))
    view = asyncio.run(run_view(queries, run, lives))
    assert (view.activity, view.worker, view.run.status) == (Activity.OVER, None, "completed")


def test_a_run_whose_story_waits_for_a_person_is_waiting(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(usage=USED, write={"work.txt": "w"})])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT, limits=Limits(story=Budget(usd=1.0)))
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StoryHeld) for sighting in rig.seen))
            view = await run_view(rig.store.queries, run, lives)
            assert view.activity is Activity.WAITING
            assert view.used == one_attempt(USED)
            assert [(share.agent, share.model, share.usage) for share in view.shares] == [
                ("scripted", "scripted", view.used)
            ]
            story = view.stories[0].story
            message = "the story has spent 2.00 of 1.00 USD"
            assert story.waiting == WaitingPart(cause=WaitCause.LIMIT, detail=message)
            assert (waiting_text(story), reason(story)) == (f"limit: {message}", message)
            reached = Reached(whose=Whose.STORY, limit=Budget(usd=1.0), spent=Budget(usd=2.0))
            assert reached_of(story) == reached

    asyncio.run(scenario())


def test_of_the_time_of_a_run_is_known_how_much_of_it_was_waiting(rig: Rig) -> None:
    async def scenario() -> None:
        wait = WaitedRow(run="r", story="US-001", number=1, awaited="person", since=10.0, until=70.0)
        limit = replace(wait, number=2, awaited="limit", since=80.0, until=85.0)
        first = replace(story_row("r", "US-001"), started_at=0.0, ended_at=100.0)
        second = replace(story_row("r", "US-002"), started_at=0.0, ended_at=30.0)
        frame = replace(story_row("r", FRAME), started_at=0.0, ended_at=100.0)
        rows = (run_row("r"), first, second, frame, wait, limit)
        await rig.store.events.append(Stream("s"), [MessagesRead(at=1, upto=1)], expected=0, key="k", rows=rows)
        view = await run_view(rig.store.queries, "r", lives)
        assert view.idle == Idle(person=40.0, limit=5.0), "while the second worked, something went on"
        values = {story.story.story: story.idle for story in view.stories}
        assert values == {"US-001": Idle(person=60.0, limit=5.0), "US-002": NOT_IDLE, FRAME: NOT_IDLE}

    asyncio.run(scenario())


def test_waits_of_a_real_run_are_written_as_they_begin_and_end(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(usage=USED, write={"work.txt": "w"})])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT, limits=Limits(story=Budget(usd=1.0)))
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StoryHeld) for sighting in rig.seen))
            (waits,) = await rig.store.queries.waited(run)
            assert (waits.story, waits.number, waits.awaited, waits.until) == ("US-001", 1, "person", None)
            await raise_limits(context.inbox, run, "more", Limits(story=Budget(usd=9.0)))
            await asyncio.wait_for(wait_for(context, run), timeout=60)
            (waited,) = await rig.store.queries.waited(run)
            assert waited.until is not None
            assert (waited.since, waited.until > waited.since) == (waits.since, True)

    asyncio.run(scenario())


def test_the_limits_of_a_run_are_known_and_are_those_that_were_set_last(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(usage=USED, write={"work.txt": "w"})])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT, limits=Limits(story=Budget(usd=1.0)))
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StoryHeld) for sighting in rig.seen))
            held = (await run_view(rig.store.queries, run, lives)).limits
            assert held == (Budget(), Budget(usd=1.0), Budget())
            await raise_limits(context.inbox, run, "more", Limits(run=Budget(tokens=9_000), story=Budget(usd=9.0)))
            await asyncio.wait_for(wait_for(context, run), timeout=60)
            held = (await run_view(rig.store.queries, run, lives)).limits
            assert held == (Budget(tokens=9_000), Budget(usd=9.0), Budget())
            message = report(await account(context.events, run))
            assert "| limits | 9,000 tokens for the run; 9.00 USD for each story |" in message

    asyncio.run(scenario())


def test_a_finished_run_is_over_and_an_unknown_cost_stays_unknown(rig: Rig) -> None:
    async def scenario() -> None:
        run = await rig.run(workflow=SHORT)
        view = await run_view(rig.store.queries, "", lives)
        assert (view.run.run, view.activity, view.worker) == (run.given.run, Activity.OVER, None)
        assert (view.used.cost_usd, view.used.attempts, view.used.unpriced, view.used.uncounted) == (None, 2, 2, 2)
        assert view.band is None
        assert [step.status for step in view.stories[0].steps] == ["completed", "completed"]

    asyncio.run(scenario())


def test_of_several_stories_only_those_that_have_more_to_report_come_with_their_steps(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = lambda task: Turn() if task.env["SHIFTWORK_STORY"] == "US-002" else honest()(task)
        spec = Spec(title="Two", description="", stories=(asked(1), asked(2)))
        run = await rig.run(spec, workflow=SHORT)
        every = await run_view(rig.store.queries, run.given.run, lives)
        assert [len(view.steps) for view in every.stories] == [2, 2]
        writeback = await run_view(rig.store.queries, run.given.run, lives, every_step=False)
        assert [(view.story.status, len(view.steps)) for view in writeback.stories] == [("completed", 0), ("failed", 2)]

    asyncio.run(scenario())


def test_a_run_of_one_story_always_comes_with_its_steps(rig: Rig) -> None:
    async def scenario() -> None:
        run = await rig.run(workflow=SHORT)
        view = await run_view(rig.store.queries, run.given.run, lives, every_step=False)
        assert [len(story.steps) for story in view.stories] == [2]

    asyncio.run(scenario())


def test_where_several_runs_are_unfinished_none_is_meant_without_its_name(rig: Rig) -> None:
    async def scenario() -> None:
        item, other = run_row("one", started_at=1.0), run_row("other", started_at=2.0)
        assert await is_meant(rig.store.queries, "one"), "there is nothing else that could be"
        await rig.store.events.append(Stream("run/one"), (), expected=0, key="a", rows=[item])
        assert await is_meant(rig.store.queries, "one")
        await rig.store.events.append(Stream("run/other"), (), expected=0, key="a", rows=[other])
        assert not await is_meant(rig.store.queries, "one")
        assert not await is_meant(rig.store.queries, "other")
        assert not (await run_view(rig.store.queries, "", lives)).meant
        over = replace(item, ended_at=3.0)
        await rig.store.events.append(Stream("run/one"), (), expected=0, key="b", rows=[over])
        assert (await run_view(rig.store.queries, "", lives)).meant

    asyncio.run(scenario())


def test_what_no_one_has_run_is_reported_with_what_to_type(rig: Rig) -> None:
    async def scenario() -> None:
        with pytest.raises(UnknownRunError) as nothing:
            await run_view(rig.store.queries, "", lives)
        assert "shiftwork run" in nothing.value.hint
        await rig.run(workflow=SHORT)
        with pytest.raises(UnknownRunError) as unknown:
            await run_view(rig.store.queries, "nope", lives)
        assert "--all" in unknown.value.hint

    asyncio.run(scenario())


def test_a_story_that_is_taken_for_a_run_is_reported_as_one(rig: Rig) -> None:
    async def scenario() -> None:
        await rig.run(workflow=SHORT)
        run = (await run_view(rig.store.queries, "", lives)).run.run
        story = (await rig.store.queries.stories(run))[0].story
        with pytest.raises(UnknownRunError, match=f"{story}: that is a story of run {run}") as taken:
            await run_view(rig.store.queries, story, lives)
        assert taken.value.hint == f"shiftwork steps {story}"
        await rig.store.events.append(Stream("rows"), (), expected=0, key="rows", rows=[a_run("2abc", 9e9)])
        with pytest.raises(UnknownRunError) as older:
            await run_view(rig.store.queries, story, lives)
        assert older.value.hint == f"shiftwork steps {story} --run {run}"
        with pytest.raises(UnknownRunError, match="there is no run US-909, and no story of that id") as neither:
            await run_view(rig.store.queries, "US-909", lives)
        assert neither.value.hint == "shiftwork stories 2abc lists those of the newest run"

    asyncio.run(scenario())


def a_run(name: str, at: float, *, over: bool = True, plan: bool = False) -> RunRow:
    row = run_row(name, started_at=at)
    return replace(row, ended_at=at + 1 if over else None, workflow=PLAN if plan else row.workflow)


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (2, "several runs begin with 1nfk: 1nfk01, 1nfk00"),
        (
            12,
            f"several runs begin with 1nfk: {', '.join(f'1nfk{number:02d}' for number in range(11, 1, -1))} and 2 more",
        ),
    ],
)
def test_a_beginning_that_several_runs_have_is_reported_with_their_names(rig: Rig, count: int, message: str) -> None:
    async def scenario() -> None:
        rows = [a_run(f"1nfk{number:02d}", float(number)) for number in range(count)]
        await rig.store.events.append(Stream("rows"), (), expected=0, key="rows", rows=[*rows, a_run("2abc", 99.0)])
        with pytest.raises(UnknownRunError) as several:
            await run_view(rig.store.queries, "1nfk", lives)
        assert several.value.message == message
        assert "more characters of the id" in several.value.hint

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("rows", "meant"),
    [
        ([a_run("done", 1.0), a_run("planned", 2.0, plan=True)], "done"),
        ([a_run("done", 1.0), a_run("planning", 2.0, plan=True, over=False)], "planning"),
        ([a_run("older", 1.0, plan=True), a_run("planned", 2.0, plan=True)], "planned"),
        ([a_run("open", 1.0, over=False), a_run("done", 2.0)], "done"),
    ],
)
def test_a_finished_plan_is_not_the_run_that_is_meant_where_there_is_another(
    rig: Rig, rows: list[RunRow], meant: str
) -> None:
    async def scenario() -> None:
        await rig.store.events.append(Stream("rows"), (), expected=0, key="rows", rows=rows)
        assert (await run_view(rig.store.queries, "", lives)).run.run == meant

    asyncio.run(scenario())


def test_what_is_not_over_is_found_behind_newer_runs_and_reported_as_it_stands(rig: Rig) -> None:
    async def scenario() -> None:
        queries = rig.store.queries
        assert await unfinished(queries) == ""
        rows = [a_run("oldest", 1.0, over=False), a_run("open", 2.0, over=False), a_run("done", 3.0)]
        await rig.store.events.append(Stream("rows"), (), expected=0, key="rows", rows=rows)
        assert await unfinished(queries) == "open"
        result = await outlines(queries, rows[1:], lives)
        assert [(row.run, activity) for row, activity in result] == [
            ("open", Activity.INTERRUPTED),
            ("done", Activity.OVER),
        ]

    asyncio.run(scenario())


def test_stories_that_have_ended_count_before_their_run_has_learnt_of_it(rig: Rig) -> None:
    """After a kill between a story's end and its message to the run, two views at once showed different numbers."""

    async def scenario() -> None:
        in_progress = replace(a_run("killed", 1.0, over=False), stories=3, completed=1, failed=0)
        stories = [
            replace(story_row("killed", story), status=status)
            for story, status in (
                (FRAME, "failed"),
                ("US-001", "completed"),
                ("US-002", "completed"),
                ("US-003", "failed"),
            )
        ]
        await rig.store.events.append(Stream("rows"), (), expected=0, key="rows", rows=[in_progress, *stories])
        ((row, _),) = await outlines(rig.store.queries, [in_progress], lives)
        assert (row.completed, row.failed, row.stories) == (2, 1, 3)
        assert (await run_view(rig.store.queries, "killed", lives)).run == row

    asyncio.run(scenario())


def test_a_step_that_an_edit_replaced_is_not_listed_any_more(rig: Rig) -> None:
    async def scenario() -> None:
        split = {
            "operation": "split",
            "target_step_id": "step-005",
            "reason": "two concerns",
            "replacement_steps": [
                {"type": "coding", "description": "one"},
                {"type": "coding", "description": "other"},
            ],
        }
        first = honest(planning=[done(edits=[split])])

        def script(task: AgentTask) -> Turn:
            return first(task)

        rig.script = script
        run = await rig.run()
        steps = (await run_view(rig.store.queries, run.given.run, lives)).stories[0].steps
        assert [step.step for step in steps][3:7] == ["step-004", "step-011", "step-012", "step-006"]

    asyncio.run(scenario())


def test_a_story_is_found_in_the_runs_that_have_it_and_what_needs_a_person_in_other_runs(rig: Rig) -> None:
    async def scenario() -> None:
        asks = replace(
            story_row("b", "US-001"),
            status="in_progress",
            waiting=WaitingPart(cause=WaitCause.QUESTION, detail="which?"),
        )
        rows = (
            replace(run_row("a"), started_at=1.0, ended_at=None),
            replace(run_row("b"), started_at=2.0, ended_at=None),
            replace(story_row("a", "US-001"), status="failed"),
            asks,
        )
        await rig.store.events.append(Stream("s"), [MessagesRead(at=1, upto=1)], expected=0, key="k", rows=rows)
        queries = rig.store.queries
        assert await runs_with(queries, "US-001") == ["b", "a"]
        assert await runs_with(queries, "US-001", {"failed"}) == ["a"]
        assert await runs_with(queries, "US-002") == []
        assert [story.run for story in await needing_elsewhere(queries, "a")] == ["b"]
        assert await needing_elsewhere(queries, "b") == []

    asyncio.run(scenario())
