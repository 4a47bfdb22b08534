"""What a run does next, and how facts change it."""

from dataclasses import replace

import pytest

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.workflow import DYNAMIC
from shiftwork.testing.builders import asked, fold_run, kept, run_plan, started_run, story_id


def dispatched(number: int) -> run_facts.StoryDispatched:
    return run_facts.StoryDispatched(at=1, story=story_id(number))


def ended(number: int, status: StoryStatus = StoryStatus.COMPLETED) -> run_facts.StoryEnded:
    landed = status is StoryStatus.COMPLETED
    return run_facts.StoryEnded(
        at=1,
        story=story_id(number),
        status=status,
        commit=Commit("c" if landed else ""),
        reason="" if landed else "no luck",
        cause=None if landed else FailureCause.STEP,
        usage=Usage(cost_usd=0.5),
    )


def keys(run: RunState) -> list[str]:
    return [effect.key for effect in decide_run(kept(run))]


def assignments(run: RunState) -> list[Assignment]:
    return [effect.assignment for effect in decide_run(run) if isinstance(effect, run_effects.DispatchStory)]


def closing(run: RunState) -> Fact:
    (effect,) = decide_run(kept(run))
    assert isinstance(effect, e.Conclude)
    (fact,) = effect.facts
    return fact


def test_a_run_dispatches_its_stories_in_the_order_of_the_spec_and_of_their_dependencies() -> None:
    run = started_run(asked(1, after=(2,)), asked(2), asked(3))
    assert keys(run) == ["dispatch/US-002"]
    run = fold_run(run, dispatched(2))
    assert keys(run) == ["receive/0"]
    run = fold_run(run, ended(2), MessagesRead(at=1, upto=1))
    assert keys(run) == ["dispatch/US-001"]
    assert keys(fold_run(run, dispatched(1))) == ["receive/1"]


@pytest.mark.parametrize(("parallel", "expected"), [(1, 1), (2, 2), (9, 3)])
def test_as_many_stories_at_once_as_allowed(parallel: int, expected: int) -> None:
    run = started_run(asked(1), asked(2), asked(3), parallel=parallel)
    assert len(decide_run(run)) == expected
    assert len(decide_run(fold_run(run, dispatched(1)))) == max(expected - 1, 1)


def test_the_longest_way_comes_first_then_priority_then_the_order_of_the_spec() -> None:
    stories = (asked(1), replace(asked(2), priority=-1), asked(3), asked(4), asked(5, after=(4,)))
    assert [given.story.id for given in assignments(started_run(*stories, parallel=4))] == [
        "US-004",
        "US-002",
        "US-001",
        "US-003",
    ]
    longer = replace(asked(3), complexity=9)
    assert keys(started_run(*stories[:2], longer, *stories[3:])) == ["dispatch/US-003"]


def test_a_slot_is_held_until_its_story_ends_and_then_given_to_the_next() -> None:
    run = started_run(*(asked(number) for number in range(1, 6)), parallel=3)
    for given in assignments(run):
        run = fold_run(run, run_facts.StoryDispatched(at=1, story=given.story.id, slot=given.slot))
    assert run.schedule.in_progress == {"US-001": 0, "US-002": 1, "US-003": 2}
    run = fold_run(run, ended(2))
    assert [(given.story.id, given.slot) for given in assignments(run)] == [("US-004", 1)]
    run = fold_run(run, ended(1))
    assert [(given.story.id, given.slot) for given in assignments(run)] == [("US-004", 0), ("US-005", 1)]


def test_stories_that_touch_the_same_files_are_kept_apart_where_another_can_start() -> None:
    first, second = (replace(asked(number), touches=("src/api/*",)) for number in (1, 2))
    run = started_run(first, second, asked(3), parallel=2)
    assert [given.story.id for given in assignments(run)] == ["US-001", "US-003"]
    run = fold_run(run, dispatched(1))
    assert keys(run) == ["dispatch/US-003"]
    run = fold_run(run, dispatched(3), ended(3))
    assert keys(run) == ["dispatch/US-002"], "a conflict costs less than an empty slot"


def test_a_story_is_given_all_it_needs() -> None:
    plan = run_plan(asked(1), asked(2))
    run = fold_run(RunState(), run_facts.RunStarted(at=1, plan=plan), dispatched(1), ended(1))
    (effect,) = decide_run(run)
    assert isinstance(effect, run_effects.DispatchStory)
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
    stories: tuple[Story, ...], facts: tuple[Fact, ...], status: RunStatus
) -> None:
    run = fold_run(started_run(*stories), *facts)
    fact = closing(run)
    assert fact == run_facts.RunEnded(at=0, status=status)
    over = fold_run(run, replace(fact, at=8))
    assert (over.status, over.ended_at, decide_run(over)) == (status, 8, ())


def test_other_stories_continue_when_one_fails() -> None:
    run = fold_run(started_run(asked(1), asked(2)), dispatched(1), ended(1, StoryStatus.FAILED))
    assert keys(run) == ["dispatch/US-002"]


# Blocked -------------------------------------------------------------------------------------------------------------


def statuses(run: RunState) -> str:
    """One letter per story."""
    return "".join(known.status[0] for known in run.stories.values())


def test_a_failure_blocks_all_that_hangs_on_it_and_names_the_story_that_failed() -> None:
    run = started_run(asked(1), asked(2, after=(1,)), asked(3, after=(2,)), asked(4))
    run = fold_run(run, dispatched(1), ended(1, StoryStatus.FAILED))
    assert statuses(run) == "fbbu"
    assert set(run.schedule.blocked.values()) == {"depends on US-001, which failed"}
    assert keys(run) == ["dispatch/US-004"]


def test_a_retry_that_succeeds_unblocks_what_hangs_on_it() -> None:
    run = started_run(asked(1), asked(2, after=(1,)), asked(3, after=(2,)))
    run = fold_run(
        run, dispatched(1), ended(1, StoryStatus.FAILED), run_facts.StoryRetryRequested(at=1, story=story_id(1))
    )
    assert (statuses(run), run.schedule.blocked) == ("uuu", {})
    assert keys(run) == ["dispatch/US-001/2"], "under its own key: the first one is spent"
    assert statuses(fold_run(run, dispatched(1), ended(1, StoryStatus.FAILED))) == "fbb"
    assert keys(fold_run(run, dispatched(1), ended(1))) == ["dispatch/US-002"]


def test_what_a_person_says_about_a_retry_goes_to_the_story() -> None:
    run = fold_run(started_run(asked(1)), dispatched(1), ended(1, StoryStatus.FAILED))
    again = run_facts.StoryRetryRequested(at=1, story=story_id(1), because="the API is v2")
    (effect,) = decide_run(fold_run(run, again))
    assert isinstance(effect, run_effects.DispatchStory)
    assert effect.because == "the API is v2"


def test_a_story_that_needs_two_failed_ones_is_blocked_until_both_are_tried_again() -> None:
    run = started_run(asked(1), asked(2), asked(3, after=(1, 2)), parallel=2)
    run = fold_run(run, dispatched(1), dispatched(2), ended(2, StoryStatus.FAILED), ended(1, StoryStatus.FAILED))
    assert run.schedule.blocked == {"US-003": "depends on US-001, which failed"}
    run = fold_run(run, run_facts.StoryRetryRequested(at=1, story=story_id(1)))
    assert run.schedule.blocked == {"US-003": "depends on US-002, which failed"}
    run = fold_run(run, run_facts.StoryRetryRequested(at=1, story=story_id(2)))
    assert statuses(run) == "uuu"


def test_a_run_that_had_failed_continues_for_a_retry_and_ends_once_more() -> None:
    run = fold_run(started_run(asked(1)), dispatched(1), ended(1, StoryStatus.FAILED))
    assert keys(run) == ["end/1"]
    run = fold_run(run, replace(closing(run), at=8), run_facts.StoryRetryRequested(at=9, story=story_id(1)))
    assert (run.status, run.ended_at) == (RunStatus.RUNNING, None)
    run = fold_run(run, dispatched(1), ended(1))
    assert keys(run) == ["end/2"]
    assert closing(run) == run_facts.RunEnded(at=0, status=RunStatus.COMPLETED)
    assert run.totals.spent == 0.5, "the story reports all its usage, the first try included"


def test_what_can_never_start_is_blocked_from_the_beginning() -> None:
    run = started_run(asked(1, after=(2,)), asked(2, after=(1,)), asked(3, after=(1,)), asked(4, after=(9,)), asked(5))
    assert statuses(run) == "bbbbu"
    cycle = "depends on a cycle: US-001 → US-002 → US-001"
    assert run.schedule.blocked == {
        "US-001": cycle,
        "US-002": cycle,
        "US-003": cycle,
        "US-004": "depends on US-009, which is not in the spec",
    }


def test_a_story_whose_dependencies_have_not_landed_cannot_have_been_dispatched() -> None:
    run = started_run(asked(1), asked(2, after=(1,)))
    assert fold_run(run, dispatched(2)) == run


def test_an_unknown_cost_stays_unknown() -> None:
    run = fold_run(started_run(asked(1)), dispatched(1), replace(ended(1), usage=Usage()))
    assert run.totals.spent is None


def test_a_cancelled_run_notifies_its_stories_waits_for_them_and_ends() -> None:
    run = fold_run(started_run(asked(1), asked(2), asked(3), parallel=2), dispatched(1), dispatched(2))
    run = fold_run(run, run_facts.CancelRequested(at=1))
    assert keys(run) == ["cancel/US-001", "cancel/US-002"]
    run = fold_run(run, run_facts.CancelForwarded(at=1, story=story_id(1)))
    assert keys(run) == ["cancel/US-002"]
    run = fold_run(run, run_facts.CancelForwarded(at=1, story=story_id(2)), ended(1))
    assert keys(run) == ["receive/0"]
    run = fold_run(run, ended(2, StoryStatus.FAILED))
    assert closing(run) == run_facts.RunEnded(at=0, status=RunStatus.CANCELLED)


# Facts that do not fit -----------------------------------------------------------------------------------------------


def test_a_run_starts_once() -> None:
    run = started_run(asked(1))
    assert fold_run(run, run_facts.RunStarted(at=9, plan=run_plan(asked(2)))) == run
    with pytest.raises(LookupError, match="has not started"):
        _ = RunState().given


def test_a_run_that_has_not_started_knows_no_stories_and_cannot_be_cancelled() -> None:
    assert fold_run(RunState(), dispatched(1), ended(1), run_facts.CancelRequested(at=1)) == RunState()


def test_a_story_is_dispatched_once_and_ends_once() -> None:
    run = fold_run(started_run(asked(1)), dispatched(1))
    assert fold_run(run, dispatched(1)) == run
    over = fold_run(run, ended(1))
    assert fold_run(over, ended(1, StoryStatus.FAILED), dispatched(1)) == over


def test_a_story_ends_only_after_it_has_been_dispatched() -> None:
    run = started_run(asked(1))
    assert fold_run(run, ended(1)) == run


@pytest.mark.parametrize(
    "status", sorted({StoryStatus.UNCLAIMED, StoryStatus.IN_PROGRESS, StoryStatus.BLOCKED, StoryStatus.UNDONE})
)
def test_a_story_ends_completed_failed_or_cancelled(status: StoryStatus) -> None:
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
    assert fold_run(run, run_facts.RunEnded(at=1, status=status)) == run


def test_messages_are_read_forwards_and_other_streams_facts_mean_nothing() -> None:
    run = fold_run(started_run(asked(1)), MessagesRead(at=1, upto=4))
    assert fold_run(run, MessagesRead(at=1, upto=2), story_facts.StoryReported(at=1)) == run
