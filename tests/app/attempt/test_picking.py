"""Learned profiles: the run assigns one when a story begins, records the reason, and counts the result when it ends."""

import asyncio
from dataclasses import replace

import pytest

from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.app.commands.runs import wait_for
from shiftwork.app.runtime.choose_profile import choices, tallies
from shiftwork.app.runtime.story_projection import story_rows
from shiftwork.domain.agents.tally import ANY_ROLE, Pick, Tally
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, StoryState, StoryStatus
from shiftwork.domain.usage.totals import one_attempt, total
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import Pipeline
from shiftwork.ports.agent import AgentTask, Ending
from shiftwork.ports.views import ProfileRow, Verdict
from shiftwork.testing.builders import assignment, started_story
from tests.app.commands.test_intents import again
from tests.app.rig import SHORT, Rig, done

PICK = Pick(role=ANY_ROLE, profile="other", why="it has not been tried yet")


def each_its_own(task: AgentTask) -> Turn:
    """Something to land for every story."""
    name = task.env["SHIFTWORK_STORY"]
    write = {"work.txt": "work\n", f"{name}.txt": "x\n"}
    return done("done", write=write) if task.env["SHIFTWORK_STEP_TYPE"] == "coding" else done("done")


def three() -> Spec:
    stories = (Story(id=StoryId(f"US-{number:03d}"), title="x", description="") for number in range(1, 4))
    return Spec(title="Three", description="", stories=tuple(stories))


def test_each_profile_is_tried_and_the_choice_is_in_the_history(rig: Rig) -> None:
    async def scene() -> None:
        rig.script, rig.learns = each_its_own, True
        rig.others = {"other": ScriptedAgent(each_its_own)}
        run = await rig.run(three(), workflow=SHORT)
        assert run.status is RunStatus.COMPLETED
        for story, profile in (("US-001", "scripted"), ("US-002", "other"), ("US-003", "scripted")):
            facts = await rig.facts(run, story)
            (started,) = (fact for fact in facts if isinstance(fact, story_facts.StoryStarted))
            (pick,) = started.assignment.picks
            assert (pick.role, pick.profile, bool(pick.why)) == (ANY_ROLE, profile, True)
            assert {fact.agent for fact in facts if isinstance(fact, story_facts.StepStarted)} == {profile}
        rows = await rig.store.queries.profiles()
        assert [(row.story, row.profile, row.verdict) for row in rows] == [
            ("US-003", "scripted", Verdict.VERIFIED),
            ("US-002", "other", Verdict.VERIFIED),
            ("US-001", "scripted", Verdict.VERIFIED),
        ]

    asyncio.run(scene())


def test_a_story_that_fails_counts_against_who_was_chosen(rig: Rig) -> None:
    async def scene() -> None:
        rig.learns, rig.others = True, {"other": ScriptedAgent(each_its_own)}
        rig.script = lambda _task: done(answer="no summary")
        run = await rig.run(workflow=SHORT)
        assert run.status is RunStatus.FAILED
        (row,) = await rig.store.queries.profiles()
        assert (row.profile, row.verdict) == ("scripted", Verdict.FAILED)

    asyncio.run(scene())


def test_a_retry_keeps_who_began(rig: Rig) -> None:
    async def scene() -> None:
        rig.learns, rig.others = True, {"other": ScriptedAgent(each_its_own)}
        broken = [True]
        rig.script = lambda task: done(answer="no summary") if broken[0] else each_its_own(task)
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await asyncio.wait_for(wait_for(context, run), timeout=60)
            broken[0] = False
            state = await again(context, run, run_facts.StoryRetryRequested(at=0, story=StoryId("US-001")))
        assert state.status is RunStatus.COMPLETED
        assert [pick.profile for pick in (await rig.story(run)).given.picks] == ["scripted"]
        (row,) = await rig.store.queries.profiles()
        assert (row.profile, row.verdict) == ("scripted", Verdict.VERIFIED)

    asyncio.run(scene())


def test_without_learning_nothing_is_chosen_or_counted(rig: Rig) -> None:
    async def scene() -> None:
        rig.others = {"other": ScriptedAgent(each_its_own)}
        run = await rig.run(workflow=SHORT)
        assert (await rig.story(run)).given.picks == ()
        assert await rig.store.queries.profiles() == []

    asyncio.run(scene())


def cast() -> StoryState:
    return replace(started_story(), assignment=replace(assignment(), picks=(PICK,)))


def rows(before: StoryState, after: StoryState) -> list[ProfileRow]:
    return [row for row in story_rows(before, after) if isinstance(row, ProfileRow)]


def with_steps(story: StoryState, **changes: str) -> StoryState:
    steps = tuple(replace(step, **changes) for step in story.pipeline.steps)  # type: ignore[arg-type]
    return replace(story, pipeline=Pipeline(steps=steps, next_number=story.pipeline.next_number))


@pytest.mark.parametrize(
    ("status", "cause", "changes", "verdict"),
    [
        (StoryStatus.COMPLETED, None, {"assigned_profile": "other"}, Verdict.VERIFIED),
        (StoryStatus.COMPLETED, None, {"assigned_profile": "third"}, Verdict.VOID),
        (StoryStatus.COMPLETED, None, {"profile": "third"}, Verdict.FAILED),
        (StoryStatus.FAILED, FailureCause.STEP, {}, Verdict.FAILED),
        (StoryStatus.UNDONE, FailureCause.UNDONE, {}, Verdict.FAILED),
        (StoryStatus.CANCELLED, FailureCause.CANCELLED, {}, Verdict.VOID),
        (StoryStatus.FAILED, FailureCause.WORKSPACE, {}, Verdict.VOID),
    ],
)
def test_what_a_storys_end_says_of_who_was_chosen(
    status: StoryStatus, cause: FailureCause | None, changes: dict[str, str], verdict: Verdict
) -> None:
    story = cast()
    (row,) = rows(
        story, replace(made := with_steps(story, **changes), status=status, outcome=replace(made.outcome, cause=cause))
    )
    assert row.verdict == verdict


def ended_with(*used: Usage, role: str = ANY_ROLE) -> ProfileRow:
    story = cast()
    (row,) = rows(
        story,
        replace(story, status=StoryStatus.COMPLETED, spending=replace(story.spending, roles=((role, total(used)),))),
    )
    return row


def test_what_a_role_has_cost_is_reported_where_all_of_it_is_known() -> None:
    paid, dark = one_attempt(Usage(cost_usd=0.25)), one_attempt(None)
    assert ended_with(paid, paid).cost_usd == 0.5
    assert ended_with(paid, dark).cost_usd is None
    assert ended_with(dark).cost_usd is None
    assert ended_with(paid, role="coding").cost_usd is None


def test_what_was_spent_before_a_story_was_begun_from_scratch_counts(rig: Rig) -> None:
    async def scene() -> None:
        rig.learns, rig.others = True, {"other": ScriptedAgent(each_its_own)}
        paid = Usage(input_tokens=1, cost_usd=1.0)
        broken = [True]
        rig.script = lambda task: replace(done(answer="no") if broken[0] else each_its_own(task), usage=paid)
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await asyncio.wait_for(wait_for(context, run), timeout=60)
            broken[0] = False
            await again(context, run, run_facts.StoryRetryRequested(at=0, story=StoryId("US-001"), from_scratch=True))
        (row,) = await rig.store.queries.profiles()
        assert (row.verdict, row.cost_usd) == (Verdict.VERIFIED, (await rig.story(run)).spending.usage.cost_usd)
        assert row.cost_usd == 4.0, "two that failed, and two steps"

    asyncio.run(scene())


def test_a_profile_that_is_always_at_a_limit_is_not_new_for_ever(rig: Rig) -> None:
    async def scene() -> None:
        rig.learns, rig.gates, rig.fallbacks = True, (), {"other": ("scripted",)}
        rig.script = each_its_own
        rig.others = {"other": ScriptedAgent(lambda _task: Turn(ending=Ending.RATE_LIMITED, detail="429"))}
        stories = (Story(id=StoryId(f"US-{number:03d}"), title="x", description="") for number in range(1, 7))
        run = await rig.run(Spec(title="Six", description="", stories=tuple(stories)), workflow=SHORT)
        assert run.status is RunStatus.COMPLETED
        played = [(row.profile, row.verdict) for row in reversed(await rig.store.queries.profiles())]
        assert played[:3] == [("scripted", Verdict.VERIFIED), ("other", Verdict.VOID), ("other", Verdict.VOID)]
        assert played[3:] == [("scripted", Verdict.VERIFIED)] * 3

    asyncio.run(scene())


def test_a_row_is_written_when_the_story_begins_and_not_with_every_fact() -> None:
    story = cast()
    (row,) = rows(StoryState(), story)
    assert (row.verdict, row.cost_usd) == (Verdict.OPEN, None)
    assert rows(story, replace(story, work=replace(story.work, head=Commit("1")))) == []


def played(verdict: Verdict, cost: float | None = None, role: str = ANY_ROLE) -> ProfileRow:
    return ProfileRow(run="r", story="s", role=role, profile="p", verdict=verdict, cost_usd=cost, started_at=None)


def test_rows_add_up_by_role_and_profile_and_an_unknown_cost_stays_unknown() -> None:
    known = [
        played(Verdict.VERIFIED, 1.0),
        played(Verdict.FAILED, 0.5),
        played(Verdict.VOID, 9.0),
        played(Verdict.OPEN),
    ]
    tally = Tally(role=ANY_ROLE, profile="p", ended=2, verified=1, in_progress=1, void=1, cost_usd=1.5, dearest=1.0)
    assert tallies(known) == (tally,)
    assert tally.tries == 4
    for place in range(3):
        dark = [*known[:place], played(Verdict.FAILED), *known[place:]]
        assert tallies(dark) == (replace(tally, ended=3, unpriced=1),)
    (alone,) = tallies([played(Verdict.FAILED)])
    assert (alone.cost_usd, alone.unpriced) == (None, 1)
    (_, other) = tallies([*known, played(Verdict.OPEN, role="coding")])
    assert (other.role, other.tries) == ("coding", 1)


def test_the_next_choice_is_known_for_each_role_with_a_record_and_the_common_one() -> None:
    found = choices(("p", "q"), [played(Verdict.VERIFIED, 1.0, role="coding")])
    assert {role: choice.profile for role, choice in found.items()} == {"coding": "q", ANY_ROLE: "p"}
