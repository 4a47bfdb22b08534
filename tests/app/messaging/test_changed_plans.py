"""Changes to a run in progress: stories added, edited, reordered, undone."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.intents import cancellation, received, undo_came_to
from shiftwork.app.commands.runs import Order, resume_run, start_run
from shiftwork.domain.core.ids import RunId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import LandingStage, StoryStatus
from shiftwork.errors import IntentError
from shiftwork.ports.agent import AgentTask
from shiftwork.testing.builders import asked, story_id
from tests.app.commands.test_intents import BROKEN, again, crew_of, ended, intend, rows, seen, spec, statuses
from tests.app.projects import git
from tests.app.rig import LANDING, SHORT, Rig, done


def undo(number: int) -> run_facts.StoryUndoRequested:
    return run_facts.StoryUndoRequested(at=0, story=story_id(number))


async def over(rig: Rig, *, parallel: int = 1, gate: str = "true", stories: int = 2) -> tuple[RunId, RunState]:
    """A run of independent stories that have all landed."""
    crew_of(rig)
    rig.gates = (Gate(name="test", command=gate),)
    async with rig.open() as context:
        plan = spec(*(asked(number) for number in range(1, stories + 1)))
        run = await rig.start(context, plan, workflow=SHORT, parallel=parallel)
        return run, await ended(context, run)


# Added, edited, reordered --------------------------------------------------------------------------------------------


def test_a_story_is_added_to_a_run_that_continues_and_to_one_that_is_over(rig: Rig) -> None:
    crew = crew_of(rig, US_001=[done(write={"US-001": "w"}, pause=0.6)])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1)), workflow=SHORT)
            await rig.until(lambda: seen(rig, story_facts.StepStarted) == 1)
            intent = run_facts.StoryAdded(at=0, story=asked(2, after=(1,)))
            assert await received(context.events, run, intent, await intend(context, run, intent), 60)
            assert await rows(rig, run) == {"US-001": "in_progress", "US-002": "unclaimed"}
            assert (await ended(context, run)).status is RunStatus.COMPLETED
            with pytest.raises(IntentError, match="there is a story US-002 already"):
                await intend(context, run, intent)
            with pytest.raises(IntentError, match="depend on US-009, which the run does not have"):
                await intend(context, run, run_facts.StoryAdded(at=0, story=asked(3, after=(9,))))
            state = await again(context, run, run_facts.StoryAdded(at=0, story=asked(3, after=(2,))))
        assert (state.status, state.totals.completed) == (RunStatus.COMPLETED, 3)
        row = await rig.store.queries.run(run)
        assert row is not None
        assert (row.stories, row.completed) == (3, 3)

    asyncio.run(scenario())
    assert crew.began == ["US-001", "US-002", "US-003"]


def test_what_is_asked_of_a_story_is_changed_until_somebody_begins_it(rig: Rig) -> None:
    crew = crew_of(rig, US_001=[done(write={"US-001": "w"}, pause=0.6)])

    async def scenario() -> None:
        changed = replace(asked(2), title="Another title", depends_on=(story_id(3),))
        async with rig.open() as context:
            run = await rig.start(context, spec(replace(asked(1), complexity=9), asked(2), asked(3)), workflow=SHORT)
            await rig.until(lambda: seen(rig, story_facts.StepStarted) == 1)
            intent = run_facts.StoryEdited(at=0, story=changed)
            assert await received(context.events, run, intent, await intend(context, run, intent), 60)
            listed = await rig.store.queries.stories(run)
            assert [row.title for row in listed] == ["Story 1", "Another title", "Story 3"]
            with pytest.raises(IntentError, match="a cycle: US-003 → US-002 → US-003"):
                await intend(context, run, run_facts.StoryEdited(at=0, story=asked(3, after=(2,))))
            with pytest.raises(IntentError, match="US-001 is in progress") as refused:
                await intend(context, run, run_facts.StoryEdited(at=0, story=asked(1)))
            assert f"shiftwork retry US-001 --run {run} --from-scratch" in refused.value.hint
            await ended(context, run)

    asyncio.run(scenario())
    assert crew.began == ["US-001", "US-003", "US-002"]
    assert rig.log()[0] == "feat: US-002 - Another title"


def test_a_story_that_failed_is_retried_as_it_then_reads(rig: Rig) -> None:
    crew_of(rig, US_001=[BROKEN, BROKEN])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1)), workflow=SHORT)
            await ended(context, run)
            await intend(context, run, run_facts.StoryEdited(at=0, story=replace(asked(1), title="Simpler")))
            await again(context, run, run_facts.StoryRetryRequested(at=0, story=story_id(1), from_scratch=True))
        assert [row.title for row in await rig.store.queries.stories(run)] == ["Simpler"]

    asyncio.run(scenario())
    assert rig.log()[0] == "feat: US-001 - Simpler"


def test_what_a_person_says_about_a_retry_is_in_the_next_prompt(rig: Rig) -> None:
    prompts: list[str] = []

    def script(task: AgentTask) -> Turn:
        prompts.append(task.prompt)
        return BROKEN if len(prompts) <= 2 else done(write={"work.txt": "v2"})

    rig.script = script

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1)), workflow=SHORT)
            await ended(context, run)
            said = "The API is v2 now."
            await again(context, run, run_facts.StoryRetryRequested(at=0, story=story_id(1), because=said))

    asyncio.run(scenario())
    assert [said for said in prompts if "The API is v2 now." in said] == prompts[2:]
    assert "## Decided by a person" in prompts[2]


def test_nothing_lands_under_a_text_that_no_agent_has_seen(rig: Rig) -> None:
    """The code was written for the old text, and only the review has failed."""
    crew, reviews = crew_of(rig), [BROKEN, BROKEN]

    def script(task: AgentTask) -> Turn:
        review = task.env["SHIFTWORK_STEP_TYPE"] == "final_review"
        return reviews.pop(0) if review and reviews else crew.script(task)

    rig.script = script

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1)), workflow=SHORT)
            await ended(context, run)
            await intend(context, run, run_facts.StoryEdited(at=0, story=replace(asked(1), title="Simpler")))
            state = await again(context, run, run_facts.StoryRetryRequested(at=0, story=story_id(1)))
        assert state.status is RunStatus.COMPLETED
        assert crew.began == ["US-001"] * 2
        assert [step.id for step in (await rig.story(run)).pipeline.steps] == ["step-003", "step-004"]

    asyncio.run(scenario())
    assert rig.log() == ["feat: US-001 - Simpler", "start"]


def test_a_failed_story_is_dismissed_its_history_says_so_and_its_run_ends_without_it(rig: Rig) -> None:
    crew_of(rig, US_001=[BROKEN, BROKEN])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1), asked(2)), workflow=SHORT)
            failed = await ended(context, run)
            assert (failed.status, failed.totals.failed) == (RunStatus.FAILED, 1)
            dismissal, cancel = cancellation(failed, story_id(1)), cancellation(failed, story_id(2))
            assert isinstance(dismissal, run_facts.StoryDismissalRequested)
            assert isinstance(cancel, run_facts.StoryCancellationRequested)
            state = await again(context, run, dismissal)
            assert (state.status, state.totals.failed) == (RunStatus.COMPLETED, 0)
            assert (await rig.story(run)).status is StoryStatus.CANCELLED
            assert await rows(rig, run) == {"US-001": "cancelled", "US-002": "completed"}
            with pytest.raises(IntentError, match="is over"):
                await intend(context, run, dismissal)

    asyncio.run(scenario())


def test_stories_start_in_the_order_that_was_asked_for(rig: Rig) -> None:
    crew = crew_of(rig, US_001=[done(write={"US-001": "w"}, pause=0.6)])

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(*map(asked, range(1, 5))), workflow=SHORT)
            await rig.until(lambda: seen(rig, story_facts.StepStarted) == 1)
            await intend(context, run, run_facts.StoriesReordered(at=0, stories=(story_id(4), story_id(3))))
            await ended(context, run)

    asyncio.run(scenario())
    assert crew.began == ["US-001", "US-004", "US-003", "US-002"]


# Undone --------------------------------------------------------------------------------------------------------------


def test_a_landed_story_is_undone_and_can_be_done_again(rig: Rig) -> None:
    async def scenario() -> None:
        run, _ = await over(rig)
        async with rig.open() as context:
            version = await intend(context, run, undo(1))
            with pytest.raises(IntentError, match="being undone already"):
                await intend(context, run, undo(1))
            await resume_run(context, run)
            state = await ended(context, run)
            fate = await undo_came_to(context.events, run, story_id(1), version, 0)
            assert isinstance(fate, run_facts.StoryUndone)
            assert (state.status, state.totals.completed, state.totals.failed) == (RunStatus.UNDONE, 1, 0)
            assert state.stories[story_id(1)].status is StoryStatus.UNDONE
            story = await rig.story(run)
            assert (story.status, story.landing.progress, story.landed_commit) == ("undone", LandingStage.NONE, "")
            (row, _) = await rig.store.queries.stories(run)
            assert (row.status, row.cause, row.landing.commit) == ("undone", "undone", "")
            assert rig.list_files() == ["README", "US-002"]
            assert "This reverts commit" in rig.read_message()
            state = await again(context, run, run_facts.StoryRetryRequested(at=0, story=story_id(1), from_scratch=True))
            assert state.status is RunStatus.COMPLETED
            await again(context, run, undo(1))
            begun = seen(rig, story_facts.StepStarted)
            state = await again(context, run, run_facts.StoryRetryRequested(at=0, story=story_id(1)))
        assert state.status is RunStatus.COMPLETED
        assert seen(rig, story_facts.StepStarted) == begun + 2, "reverted work is done again, not just landed again"

    asyncio.run(scenario())
    first, second = "feat: US-001 - Story 1", "feat: US-002 - Story 2"
    assert rig.log() == [first, "revert: US-001 - Story 1", first, "revert: US-001 - Story 1", second, first, "start"]


def test_what_others_stand_on_is_undone_after_them(rig: Rig) -> None:
    crew_of(rig)

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(asked(1), asked(2, after=(1,))), workflow=SHORT)
            await ended(context, run)
            with pytest.raises(IntentError, match="US-002 depends on US-001 and landed after it") as refused:
                await intend(context, run, undo(1))
            assert refused.value.hint == f"first: shiftwork undo US-002 --run {run}"
            await again(context, run, undo(2))
            state = await again(context, run, undo(1))
        assert statuses(state) == {"US-001": "undone", "US-002": "undone"}

    asyncio.run(scenario())
    assert rig.list_files() == ["README"]


def test_what_has_not_been_begun_is_blocked_by_an_undone_story(rig: Rig) -> None:
    async def scenario() -> None:
        run, _ = await over(rig, stories=1)
        async with rig.open() as context:
            await intend(context, run, undo(1))
            await intend(context, run, run_facts.StoryAdded(at=0, story=asked(2, after=(1,))))
            await resume_run(context, run)
            state = await ended(context, run)
        assert statuses(state) == {"US-001": "undone", "US-002": "blocked"}
        assert state.schedule.blocked == {"US-002": "depends on US-001, which was undone"}

    asyncio.run(scenario())


@pytest.mark.parametrize("trouble", ["conflict", "gates"])
def test_a_revert_that_does_not_fit_or_breaks_the_gates_is_refused(trouble: str, rig: Rig) -> None:
    async def scenario() -> None:
        run, _ = await over(rig, stories=1, gate="test -f US-001 || test ! -f README" if trouble == "gates" else "true")
        if trouble == "conflict":
            rig.commit_files({"US-001": "changed since\n"}, "by hand")
        before = rig.log()
        async with rig.open() as context:
            version = await intend(context, run, undo(1))
            await resume_run(context, run)
            state = await ended(context, run)
            fate = await undo_came_to(context.events, run, story_id(1), version, 0)
        assert isinstance(fate, run_facts.UndoRefused)
        values = {"conflict": "conflicts with what has landed since: These files", "gates": "gates fail without it"}
        assert values[trouble] in fate.reason
        assert (state.status, state.requests.undoing) == (RunStatus.COMPLETED, {})
        assert rig.log() == before

    asyncio.run(scenario())


def test_what_somebody_has_reverted_by_hand_counts_as_undone(git_rig: Rig) -> None:
    async def scenario() -> None:
        run, _ = await over(git_rig, stories=1)
        git(git_rig.repo, "revert", "--no-edit", "HEAD")
        async with git_rig.open() as context:
            state = await again(context, run, undo(1))
        assert state.stories[story_id(1)].status is StoryStatus.UNDONE

    asyncio.run(scenario())
    assert len(git_rig.log()) == 3


def test_an_undo_that_was_interrupted_continues(rig: Rig) -> None:
    async def scenario() -> None:
        run, _ = await over(rig, stories=1)
        rig.gates = (Gate(name="slow", command="sleep 1"),)
        async with rig.open() as context:
            await intend(context, run, undo(1))
            await resume_run(context, run)
            await rig.until(lambda: seen(rig, run_facts.UndoPosted) == 1)
        async with rig.open() as context:
            await resume_run(context, run)
            state = await ended(context, run)
        assert state.stories[story_id(1)].status is StoryStatus.UNDONE

    asyncio.run(scenario())


def test_the_spec_says_that_an_undone_story_no_longer_passes(rig: Rig) -> None:
    prd = Path(rig.repo.parent / "prd.json")
    prd.write_text('{"userStories": [{"id": "US-001", "title": "Story 1", "passes": false}]}')
    crew_of(rig)

    async def scenario() -> list[bool]:
        passes: list[bool] = []

        def message() -> None:
            (story,) = json.loads(prd.read_text())["userStories"]
            passes.append(story["passes"])

        async with rig.open() as context:
            order = Order(
                spec=spec(asked(1)),
                workflow=SHORT,
                branch="main",
                landing=LANDING,
                agent="scripted",
                source="prd-json:../prd.json",
            )
            run = await start_run(context, order)
            await ended(context, run)
            message()
            await again(context, run, undo(1))
            message()
            return passes

    assert asyncio.run(scenario()) == [True, False]
    mark_edits = [sighting.what for sighting in rig.seen if isinstance(sighting.what, run_facts.SpecUpdated)]
    assert [(update.stories, update.cleared) for update in mark_edits] == [
        ((story_id(1),), ()),
        ((story_id(1),), (story_id(1),)),
    ]
