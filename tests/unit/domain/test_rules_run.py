"""What a run does next, and how facts change it."""

from dataclasses import replace

import pytest

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model.ids import Commit
from shiftwork.domain.model.run import RunState, RunStatus
from shiftwork.domain.model.spec import Story
from shiftwork.domain.model.story import FailureCause, StoryStatus
from shiftwork.domain.model.usage import Usage
from shiftwork.domain.model.workflow import DYNAMIC
from shiftwork.domain.rules.decide_run import decide_run
from shiftwork.testing.builders import asked, fold_run, run_plan, started_run, story_id


def dispatched(number: int) -> f.StoryDispatched:
    return f.StoryDispatched(at=1, story=story_id(number))


def ended(number: int, status: StoryStatus = StoryStatus.COMPLETED) -> f.StoryEnded:
    landed = status is StoryStatus.COMPLETED
    return f.StoryEnded(
        at=1,
        story=story_id(number),
        status=status,
        commit=Commit("c" if landed else ""),
        reason="" if landed else "no luck",
        cause=None if landed else FailureCause.STEP,
        usage=Usage(cost_usd=0.5),
    )


def keys(run: RunState) -> list[str]:
    return [effect.key for effect in decide_run(run)]


def closing(run: RunState) -> f.Fact:
    (effect,) = decide_run(run)
    assert isinstance(effect, e.Conclude)
    (fact,) = effect.facts
    return fact


def test_a_run_dispatches_its_stories_in_the_order_of_the_spec_and_of_their_dependencies() -> None:
    run = started_run(asked(1, after=(2,)), asked(2), asked(3))
    assert keys(run) == ["dispatch/US-002"]
    run = fold_run(run, dispatched(2))
    assert keys(run) == ["receive/0"]
    run = fold_run(run, ended(2), f.MessagesRead(at=1, upto=1))
    assert keys(run) == ["dispatch/US-001"]
    assert keys(fold_run(run, dispatched(1))) == ["receive/1"]


@pytest.mark.parametrize(("parallel", "expected"), [(1, 1), (2, 2), (9, 3)])
def test_as_many_stories_at_once_as_allowed(parallel: int, expected: int) -> None:
    run = started_run(asked(1), asked(2), asked(3), parallel=parallel)
    assert len(decide_run(run)) == expected
    assert len(decide_run(fold_run(run, dispatched(1)))) == max(expected - 1, 1)


def test_a_story_is_given_all_it_needs() -> None:
    plan = run_plan(asked(1), asked(2))
    run = fold_run(RunState(), f.RunStarted(at=1, plan=plan), dispatched(1), ended(1))
    (effect,) = decide_run(run)
    assert isinstance(effect, e.DispatchStory)
    given = effect.assignment
    assert (given.run, given.story, given.position, given.branch) == (plan.run, asked(2), 1, "main")
    assert (given.requirements, given.landing, given.limits) == (plan.spec.requirements, plan.landing, plan.limits)
    assert given.agent == plan.agent
    assert effect.steps == DYNAMIC.story_steps


@pytest.mark.parametrize(
    ("stories", "facts", "status"),
    [
        ((asked(1),), (dispatched(1), ended(1)), RunStatus.COMPLETED),
        ((asked(1),), (dispatched(1), ended(1, StoryStatus.FAILED)), RunStatus.FAILED),
        ((asked(1), asked(2, after=(1,))), (dispatched(1), ended(1, StoryStatus.FAILED)), RunStatus.FAILED),
        ((asked(1, after=(2,)), asked(2, after=(1,))), (), RunStatus.FAILED),
    ],
    ids=["all landed", "one failed", "one that depends on a failed one", "a circle"],
)
def test_a_run_ends_when_nothing_flies_and_nothing_can_start(
    stories: tuple[Story, ...], facts: tuple[f.Fact, ...], status: RunStatus
) -> None:
    run = fold_run(started_run(*stories), *facts)
    fact = closing(run)
    assert fact == f.RunEnded(at=0, status=status)
    over = fold_run(run, replace(fact, at=8))
    assert (over.status, over.ended_at, decide_run(over)) == (status, 8, ())


def test_other_stories_go_on_when_one_fails() -> None:
    run = fold_run(started_run(asked(1), asked(2)), dispatched(1), ended(1, StoryStatus.FAILED))
    assert keys(run) == ["dispatch/US-002"]


def test_a_cancelled_run_tells_its_stories_waits_for_them_and_ends() -> None:
    run = fold_run(started_run(asked(1), asked(2), asked(3), parallel=2), dispatched(1), dispatched(2))
    run = fold_run(run, f.CancelRequested(at=1))
    assert keys(run) == ["cancel/US-001", "cancel/US-002"]
    run = fold_run(run, f.CancelForwarded(at=1, story=story_id(1)))
    assert keys(run) == ["cancel/US-002"]
    run = fold_run(run, f.CancelForwarded(at=1, story=story_id(2)), ended(1))
    assert keys(run) == ["receive/0"]
    run = fold_run(run, ended(2, StoryStatus.FAILED))
    assert closing(run) == f.RunEnded(at=0, status=RunStatus.CANCELLED)


# Facts that do not fit -----------------------------------------------------------------------------------------------


def test_a_run_starts_once() -> None:
    run = started_run(asked(1))
    assert fold_run(run, f.RunStarted(at=9, plan=run_plan(asked(2)))) == run
    with pytest.raises(LookupError, match="has not started"):
        _ = RunState().given


def test_a_run_that_has_not_started_knows_no_stories_and_cannot_be_cancelled() -> None:
    assert fold_run(RunState(), dispatched(1), ended(1), f.CancelRequested(at=1)) == RunState()


def test_a_story_is_dispatched_once_and_ends_once() -> None:
    run = fold_run(started_run(asked(1)), dispatched(1))
    assert fold_run(run, dispatched(1)) == run
    over = fold_run(run, ended(1))
    assert fold_run(over, ended(1, StoryStatus.FAILED), dispatched(1)) == over


def test_a_story_ends_only_after_it_has_been_dispatched() -> None:
    run = started_run(asked(1))
    assert fold_run(run, ended(1)) == run


@pytest.mark.parametrize("status", sorted(set(StoryStatus) - {StoryStatus.COMPLETED, StoryStatus.FAILED}))
def test_a_story_ends_completed_or_failed(status: StoryStatus) -> None:
    run = fold_run(started_run(asked(1)), dispatched(1))
    assert fold_run(run, ended(1, status)) == run


def test_what_became_of_a_story_is_kept() -> None:
    run = fold_run(started_run(asked(1)), dispatched(1), ended(1, StoryStatus.FAILED))
    outcome = run.stories[story_id(1)]
    assert (outcome.reason, outcome.cause, outcome.usage) == ("no luck", FailureCause.STEP, Usage(cost_usd=0.5))


def test_stories_that_are_not_in_the_spec_mean_nothing() -> None:
    run = started_run(asked(1))
    assert fold_run(run, dispatched(2), ended(2)) == run


@pytest.mark.parametrize("status", [RunStatus.PLANNED, RunStatus.RUNNING])
def test_a_run_does_not_end_in_a_status_that_is_no_end(status: RunStatus) -> None:
    run = started_run(asked(1))
    assert fold_run(run, f.RunEnded(at=1, status=status)) == run


def test_messages_are_read_forwards_and_other_streams_facts_mean_nothing() -> None:
    run = fold_run(started_run(asked(1)), f.MessagesRead(at=1, upto=4))
    assert fold_run(run, f.MessagesRead(at=1, upto=2), f.StoryReported(at=1)) == run
