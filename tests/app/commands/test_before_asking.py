"""What a request changes in a run, as the front ends learn it before they send the request."""

import asyncio
from dataclasses import replace

import pytest

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.commands import steering
from shiftwork.app.commands.replies import Reply, Word, patch_asked_about, patch_of, step_patch
from shiftwork.app.commands.runs import Order
from shiftwork.domain.core.ids import Commit, RunId, StoryId, step_id, story_stream
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.proof.commit_trailers import NO_GATES
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.errors import IntentError
from shiftwork.testing.builders import (
    after_steps,
    asked,
    fold_run,
    fold_story,
    given_back,
    landing_asked,
    run_plan,
    started_run,
    started_story,
    story_id,
)
from tests.app.rig import LANDING, SHORT, Rig


def test_options_that_are_named_now_come_with_those_of_the_settings() -> None:
    plan = replace(run_plan(), named=("agent",))
    named = run_facts.OptionsChanged(at=0, model="dear", named=("model",))
    assert steering.followed(plan, "codex", "", 3) == run_facts.OptionsChanged(at=0, parallel=3)
    assert steering.followed(plan, "codex", "", 3, named) == replace(named, parallel=3)
    assert steering.followed(plan, "codex", "", 1) == steering.NOTHING
    assert steering.with_options(plan, named).model == "dear"


def test_the_repair_of_the_base_is_the_first_story() -> None:
    order = Order(spec=one_shot("Add it"), workflow=SHORT, branch="main", landing=LANDING, agent="scripted")
    red = GateReport(commit=Commit("c"), results=(GateResult(name="lint", passed=False, seconds=1.0, output="no"),))
    changed = steering.repaired_first(order, red, (Gate(name="lint", command="make lint"),), "main")
    assert [story.id for story in changed.spec.stories] == ["BASE-1", "US-001"]
    assert changed.base_story == "BASE-1"


def test_a_new_story_gets_the_next_id_and_an_unknown_one_is_guessed() -> None:
    run = started_run(asked(1), asked(2))
    assert steering.next_story_id(run) == "US-003"
    assert steering.story_of(run, story_id(2)) == asked(2)
    with pytest.raises(IntentError, match="there is no story us-2 in the run; did you mean US-002"):
        steering.story_of(run, StoryId("us-2"))


def test_a_retry_from_scratch_needs_no_reason() -> None:
    run = started_run(asked(1))
    stale = replace(run.stories[story_id(1)], stale="its text was changed")
    run = replace(run, stories={story_id(1): stale})
    again = run_facts.StoryRetryRequested(at=1, story=story_id(1))
    assert steering.restarted(run, again) == "its text was changed"
    assert steering.restarted(run, replace(again, from_scratch=True)) == ""


def test_what_a_revert_has_passed_may_be_nothing() -> None:
    undone = run_facts.StoryUndone(at=1, story=story_id(1), gates="lint, test")
    assert not steering.unchecked(undone)
    assert steering.unchecked(replace(undone, gates=NO_GATES))


def test_most_requests_reopen_a_run() -> None:
    ended = fold_run(started_run(asked(1)), run_facts.RunEnded(at=2, status=RunStatus.COMPLETED))
    assert steering.is_over_after(ended, run_facts.OptionsChanged(at=3, model="dear"))
    assert not steering.is_over_after(ended, run_facts.StoryAdded(at=3, story=asked(2)))


def test_what_is_shown_of_a_story_is_landed_or_asked_about_or_unfinished() -> None:
    working = started_story("coding")
    assert patch_of(working) == Patch(base=working.work.base, commit=working.work.head)
    waiting = given_back(after_steps(working, 1))
    assert patch_of(waiting) == Patch(base=waiting.work.base, commit=Commit("candidate-1"))
    accepted = story_facts.LandingAccepted(at=5, commit=Commit("landed"), ref="main")
    landed = fold_story(landing_asked("coding"), accepted)
    assert landed.landed
    assert patch_of(landed) == Patch(base=landed.landed.base, commit=Commit("landed"))


def test_the_patch_of_a_step_is_that_of_its_last_completed_attempt() -> None:
    def started(number: int, attempt: int, commit: str) -> story_facts.StepStarted:
        return story_facts.StepStarted(at=1, step=step_id(number), attempt=attempt, commit=Commit(commit), log="")

    def completed(number: int, attempt: int, commit: str) -> story_facts.StepCompleted:
        return story_facts.StepCompleted(
            at=2,
            step=step_id(number),
            attempt=attempt,
            commit=Commit(commit),
            notes="",
            outputs=(),
            usage=NOTHING_USED,
        )

    async def scenario() -> None:
        events, run, story = MemoryStore().events, RunId("r1"), story_id(1)
        facts = (
            *(started(1, 1, "a"), completed(1, 1, "b"), started(2, 1, "b"), completed(2, 1, "c")),
            *(started(1, 2, "c"), completed(1, 2, "d"), started(3, 1, "d")),
        )
        await events.append(story_stream(run, story), facts, expected=0, key="all")
        found = [await step_patch(events, run, story, step_id(number)) for number in (1, 2, 3)]
        wanted = [Patch(base=Commit("c"), commit=Commit("d")), Patch(base=Commit("b"), commit=Commit("c")), None]
        assert found == wanted

    asyncio.run(scenario())


def test_the_patch_of_a_question_is_read_from_the_history(rig: Rig) -> None:
    async def scenario() -> None:
        async with rig.open() as context:
            said = Reply(run=RunId("r1"), story=StoryId("US-001"), word=Word.APPROVE)
            assert await patch_asked_about(context.events, said) is None

    asyncio.run(scenario())
