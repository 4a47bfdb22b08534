"""What a request changes in a run, as the front ends learn it before they send the request."""

import asyncio
from dataclasses import replace

import pytest

from shiftwork.app.commands import steering
from shiftwork.app.commands.replies import Reply, Word, patch_asked_about
from shiftwork.app.commands.runs import Order
from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.proof.commit_trailers import NO_GATES
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import one_shot
from shiftwork.errors import IntentError
from shiftwork.testing.builders import (
    asked,
    fold_run,
    run_plan,
    started_run,
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


def test_the_patch_of_a_question_is_read_from_the_history(rig: Rig) -> None:
    async def scenario() -> None:
        async with rig.open() as context:
            said = Reply(run=RunId("r1"), story=StoryId("US-001"), word=Word.APPROVE)
            assert await patch_asked_about(context.events, said) is None

    asyncio.run(scenario())
