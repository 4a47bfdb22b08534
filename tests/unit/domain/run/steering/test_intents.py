"""Requests to a run: what each changes, which stories are notified, and why some are refused."""

from dataclasses import replace

import pytest

from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.decision import NOW
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as r
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.run.steering.intent_checks import INTENTS, next_story_id, objection
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.testing.builders import asked, fold_run, kept, ordered_run, started_run, story_id
from tests.unit.domain.run.test_decide import dispatched, ended


def keys(run: RunState) -> list[str]:
    return [effect.key for effect in decide_run(kept(run))]


def landed(number: int) -> r.StoryEnded:
    return replace(ended(number), commit=Commit(f"landed-{number}"), base=Commit(f"before-{number}"))


def retry(number: int) -> r.StoryRetryRequested:
    return r.StoryRetryRequested(at=1, story=story_id(number))


def cancel(number: int) -> r.StoryCancellationRequested:
    return r.StoryCancellationRequested(at=1, story=story_id(number))


def undo(number: int) -> r.StoryUndoRequested:
    return r.StoryUndoRequested(at=1, story=story_id(number))


def over(run: RunState, status: RunStatus = RunStatus.FAILED) -> RunState:
    return fold_run(run, r.RunEnded(at=8, status=status))


def all_landed(*stories: Story) -> RunState:
    run = started_run(*stories, parallel=9)
    for number in range(1, len(stories) + 1):
        run = fold_run(run, dispatched(number), landed(number))
    return run


# Pause ---------------------------------------------------------------------------------------------------------------


def test_a_paused_run_notifies_its_stories_and_begins_nothing() -> None:
    run = fold_run(started_run(asked(1), asked(2), parallel=1), dispatched(1), r.RunPaused(at=1))
    assert keys(run) == ["pause/US-001/1"]
    run = fold_run(run, r.PauseForwarded(at=1, story=story_id(1), paused=True))
    assert keys(run) == ["receive/0"]
    run = fold_run(run, ended(1))
    assert keys(run) == ["receive/0"], "it waits, although nothing is in progress"
    run = fold_run(run, r.RunUnpaused(at=1))
    assert keys(run) == ["dispatch/US-002"], "a story that has ended is not notified"


def test_those_that_know_of_a_pause_are_notified_that_it_is_over() -> None:
    run = fold_run(started_run(asked(1)), dispatched(1), r.RunPaused(at=1))
    run = fold_run(run, r.PauseForwarded(at=1, story=story_id(1), paused=True), r.RunUnpaused(at=1))
    assert keys(run) == ["unpause/US-001/1"]
    run = fold_run(run, r.PauseForwarded(at=1, story=story_id(1), paused=False), r.RunPaused(at=1))
    assert keys(run) == ["pause/US-001/2"], "under another key than the first"


def test_a_paused_run_ends_when_there_is_nothing_to_begin_and_when_it_is_cancelled() -> None:
    run = fold_run(started_run(asked(1)), dispatched(1), r.RunPaused(at=1), landed(1))
    assert keys(run) == ["end/1"]
    run = fold_run(started_run(asked(1)), r.RunPaused(at=1), r.CancelRequested(at=1))
    assert keys(run) == ["end/1"]
    in_progress = fold_run(started_run(asked(1)), dispatched(1), r.RunPaused(at=1), r.CancelRequested(at=1))
    assert keys(in_progress) == ["cancel/US-001"], "a story that must end is not asked to pause"


# Cancel and retry ----------------------------------------------------------------------------------------------------


def test_a_story_in_progress_is_notified_to_end() -> None:
    run = fold_run(started_run(asked(1), asked(2), parallel=2), dispatched(1), dispatched(2), cancel(2))
    assert keys(run) == ["cancel/US-002"]
    run = fold_run(run, r.CancelForwarded(at=1, story=story_id(2)))
    assert keys(run) == ["receive/0"]
    again = fold_run(run, ended(2, StoryStatus.CANCELLED), retry(2), dispatched(2), cancel(2))
    assert keys(again) == ["cancel/US-002/2"]


def test_what_no_one_has_begun_is_cancelled_and_blocks_what_depends_on_it() -> None:
    run = fold_run(started_run(asked(1), asked(2, after=(1,)), asked(3, after=(2,))), cancel(2))
    assert run.stories[story_id(2)].cause is FailureCause.CANCELLED
    assert run.schedule.blocked == {"US-003": "depends on US-002, which was cancelled"}
    run = fold_run(run, cancel(3))
    assert (run.totals.failed, run.schedule.blocked) == (0, {})
    run = fold_run(run, retry(3))
    assert run.schedule.blocked == {"US-003": "depends on US-002, which was cancelled"}, "a retry does not help it yet"
    assert fold_run(run, retry(2)).schedule.blocked == {}


@pytest.mark.parametrize("status", [RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.COMPLETED])
def test_a_run_that_was_over_continues_with_nothing_left_of_what_was_asked_of_it(status: RunStatus) -> None:
    run = fold_run(
        started_run(asked(1), asked(2)), dispatched(1), r.RunPaused(at=1), cancel(1), r.CancelRequested(at=1)
    )
    run = over(fold_run(run, ended(1, StoryStatus.FAILED)), status)
    run = fold_run(run, replace(retry(1), from_scratch=True))
    assert (run.status, run.ended_at, run.requests.cancelling, run.requests.paused) == (
        RunStatus.RUNNING,
        None,
        False,
        False,
    )
    assert (run.requests.unwanted, run.requests.cancelled_stories, run.requests.paused_stories) == (
        frozenset(),
        frozenset(),
        frozenset(),
    )
    assert run.stories[story_id(1)].from_scratch


@pytest.mark.parametrize("failed", [True, False])
def test_limits_that_come_with_a_retry_hold_if_there_is_one(*, failed: bool) -> None:
    run = fold_run(started_run(asked(1), asked(2)), dispatched(1))
    run = fold_run(run, ended(1, StoryStatus.FAILED)) if failed else run
    limits = Limits(run=Budget(usd=7.0))
    again = fold_run(run, replace(retry(1), limits=limits))
    assert again.given.limits.run == (limits.run if failed else Budget())
    assert again.spending.raises == (1 if failed else 0)
    assert again.stories[story_id(1)].status is (StoryStatus.UNCLAIMED if failed else StoryStatus.IN_PROGRESS)


# Dismissed -----------------------------------------------------------------------------------------------------------


def dismiss(number: int) -> r.StoryDismissalRequested:
    return r.StoryDismissalRequested(at=1, story=story_id(number))


def forwarded(number: int) -> r.DismissalForwarded:
    return r.DismissalForwarded(at=1, story=story_id(number))


def test_a_failed_story_that_is_dismissed_counts_as_cancelled_and_its_history_says_so() -> None:
    run = fold_run(started_run(asked(1), asked(2)), dispatched(1), ended(1, StoryStatus.FAILED), dismiss(1))
    known = run.stories[story_id(1)]
    assert (known.status, known.cause, run.totals.failed) == (StoryStatus.CANCELLED, FailureCause.CANCELLED, 0)
    assert keys(run) == ["dismiss/US-001"]
    run = fold_run(run, forwarded(1))
    assert keys(run) == ["dispatch/US-002"]
    again = fold_run(run, retry(1), dispatched(1), ended(1, StoryStatus.FAILED), dismiss(1))
    assert keys(again) == ["dismiss/US-001/2"]


def test_a_run_that_failed_ends_again_without_the_story_that_nobody_wants() -> None:
    run = fold_run(
        started_run(asked(1), asked(2)), dispatched(1), ended(1, StoryStatus.FAILED), dispatched(2), landed(2)
    )
    run = fold_run(over(run), dismiss(1), forwarded(1))
    assert (run.status, run.ended_at) == (RunStatus.RUNNING, None)
    (end,) = decide_run(kept(run))
    assert end == run_effects.EndRun(key="end/2", facts=(r.RunEnded(at=NOW, status=RunStatus.COMPLETED),))


def test_in_an_ordered_run_the_next_story_starts_and_by_dependency_it_stays_blocked() -> None:
    run = fold_run(ordered_run(asked(1), asked(2)), dispatched(1), ended(1, StoryStatus.FAILED))
    assert run.schedule.blocked.keys() == {"US-002"}
    run = fold_run(over(run), dismiss(1), forwarded(1))
    assert (run.schedule.blocked, run.totals.failed, keys(run)) == ({}, 0, ["dispatch/US-002"])
    run = fold_run(started_run(asked(1), asked(2, after=(1,))), dispatched(1), ended(1, StoryStatus.FAILED), dismiss(1))
    assert run.schedule.blocked == {"US-002": "depends on US-001, which was cancelled"}


# Other plans ---------------------------------------------------------------------------------------------------------


def test_a_story_that_is_added_comes_last_and_opens_a_run_that_was_over() -> None:
    run = fold_run(over(all_landed(asked(1)), RunStatus.COMPLETED), r.StoryAdded(at=1, story=asked(2, after=(1,))))
    assert (run.status, list(run.stories)) == (RunStatus.RUNNING, ["US-001", "US-002"])
    assert keys(run) == ["dispatch/US-002"]


def test_those_that_people_put_first_come_first() -> None:
    run = started_run(asked(1), asked(2), asked(3), asked(4, after=(1,)), parallel=3)
    run = fold_run(run, r.StoriesReordered(at=1, stories=(story_id(4), story_id(3), story_id(2))))
    assert keys(run) == ["dispatch/US-003", "dispatch/US-002", "dispatch/US-001"]
    assert keys(fold_run(run, r.StoriesReordered(at=1, stories=()))) == [
        "dispatch/US-001",
        "dispatch/US-002",
        "dispatch/US-003",
    ]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (("US-001", "US-007"), "US-008"),
        (("US-9", "US-10"), "US-11"),
        (("T1", "T2", "US-005"), "T3"),
        (("login", "logout"), "US-001"),
        (("1.1", "1.9"), "1.10"),
    ],
)
def test_an_added_story_is_numbered_in_the_style_of_the_spec(ids: tuple[str, ...], expected: str) -> None:
    stories = [replace(asked(1), id=StoryId(name)) for name in ids]
    assert next_story_id(stories) == expected


# Refused -------------------------------------------------------------------------------------------------------------

STARTED = fold_run(started_run(asked(1), asked(2), asked(3, after=(2,)), parallel=1), dispatched(1))
FAILED = fold_run(STARTED, ended(1, StoryStatus.FAILED))
LANDED = all_landed(asked(1), asked(2, after=(1,)))
BUILT_ON = fold_run(
    started_run(asked(1), asked(2, after=(1,)), asked(3, after=(1,)), parallel=3),
    dispatched(1),
    landed(1),
    dispatched(2),
    dispatched(3),
)
CHAIN = fold_run(
    started_run(asked(1), asked(2, after=(1,)), asked(3, after=(2,))),
    dispatched(1),
    landed(1),
    dispatched(2),
    landed(2),
    dispatched(3),
)
ENDING = fold_run(STARTED, r.CancelRequested(at=1))


@pytest.mark.parametrize(
    ("run", "intent", "reason", "hint"),
    [
        (RunState(), r.RunPaused(at=1), "the run has not started", "shiftwork status --all"),
        (over(FAILED), r.RunPaused(at=1), "run r1 is over", "shiftwork status r1"),
        (fold_run(STARTED, r.RunPaused(at=1)), r.RunPaused(at=1), "it is paused already", "shiftwork resume r1"),
        (STARTED, r.RunUnpaused(at=1), "it is not paused", "shiftwork status r1"),
        (STARTED, cancel(9), "there is no story US-009 in the run", "shiftwork stories r1"),
        (LANDED, cancel(1), "US-001 has landed", "shiftwork undo US-001 --run r1"),
        (FAILED, cancel(1), "US-001 has failed already", "shiftwork retry US-001 --run r1"),
        (over(FAILED), cancel(2), "run r1 is over", "shiftwork status r1"),
        (FAILED, r.StoryDismissalRequested(at=1, story=story_id(2)), "US-002 has not failed", "shiftwork status r1"),
        (
            over(FAILED, RunStatus.CANCELLED),
            r.StoryDismissalRequested(at=1, story=story_id(1)),
            "run r1 is over",
            "shiftwork status r1",
        ),
        (
            STARTED,
            r.StoryDismissalRequested(at=1, story=story_id(9)),
            "there is no story US-009 in the run",
            "shiftwork stories r1",
        ),
        (STARTED, retry(9), "there is no story US-009 in the run", "shiftwork stories r1"),
        (STARTED, retry(1), "US-001 has not failed", "shiftwork status r1"),
        (LANDED, retry(1), "US-001 has landed", "shiftwork undo US-001 --run r1"),
        (ENDING, retry(1), "the run is being cancelled", "shiftwork status r1"),
        (
            fold_run(STARTED, cancel(2)),
            retry(3),
            "US-003 is blocked: depends on US-002, which was cancelled",
            "retry the story it depends on: when that has landed, this story starts automatically",
        ),
        (
            STARTED,
            r.StoryAdded(at=1, story=asked(1)),
            "there is a story US-001 already",
            "shiftwork edit US-001 --run r1",
        ),
        (ENDING, r.StoryAdded(at=1, story=asked(4)), "the run is being cancelled", "shiftwork status r1"),
        (
            STARTED,
            r.StoryAdded(at=1, story=asked(4, after=(8, 2, 9))),
            "US-004 would depend on US-008, US-009, which the run does not have",
            "shiftwork stories r1",
        ),
        (STARTED, r.StoryEdited(at=1, story=asked(9)), "there is no story US-009 in the run", "shiftwork stories r1"),
        (LANDED, r.StoryEdited(at=1, story=asked(1)), "US-001 has landed", "shiftwork undo US-001 --run r1"),
        (
            STARTED,
            r.StoryEdited(at=1, story=asked(1)),
            "US-001 is in progress and works from the text it started with",
            "shiftwork cancel r1 --story US-001, then edit it, then: shiftwork retry US-001 --run r1 --from-scratch",
        ),
        (
            STARTED,
            r.StoryEdited(at=1, story=asked(2, after=(3,))),
            "the dependencies would form a cycle: US-002 → US-003 → US-002",
            "shiftwork stories r1",
        ),
        (
            STARTED,
            r.StoriesReordered(at=1, stories=(story_id(2),) * 2),
            "a story is named twice",
            "shiftwork stories r1",
        ),
        (
            STARTED,
            r.StoriesReordered(at=1, stories=(story_id(9),)),
            "there is no story US-009 in the run",
            "shiftwork stories r1",
        ),
        (over(LANDED), r.StoriesReordered(at=1, stories=()), "run r1 is over", "shiftwork status r1"),
        (STARTED, undo(9), "there is no story US-009 in the run", "shiftwork stories r1"),
        (STARTED, undo(1), "US-001 has not landed: it is in progress", "shiftwork stories r1"),
        (STARTED, undo(3), "US-003 has not landed: it has not started", "shiftwork stories r1"),
        (FAILED, undo(1), "US-001 has not landed: it has failed", "shiftwork stories r1"),
        (fold_run(STARTED, cancel(2)), undo(3), "US-003 has not landed: it is blocked", "shiftwork stories r1"),
        (ENDING, undo(1), "the run is being cancelled", "shiftwork status r1"),
        (
            fold_run(started_run(asked(1)), r.StoryAdopted(at=1, story=story_id(1))),
            undo(1),
            "US-001 had landed before this run",
            "find its commit with git log and revert it with git revert",
        ),
        (
            fold_run(started_run(asked(1)), dispatched(1), replace(landed(1), base=Commit("landed-1"))),
            undo(1),
            "US-001 has changed nothing, so there is nothing to undo",
            "shiftwork status r1",
        ),
        (fold_run(LANDED, undo(2)), undo(2), "US-002 is being undone already", "shiftwork status r1"),
        (LANDED, undo(1), "US-002 depends on US-001 and landed after it", "first: shiftwork undo US-002 --run r1"),
        (
            fold_run(BUILT_ON, landed(2), landed(3)),
            undo(1),
            "US-002, US-003 depend on US-001 and landed after it",
            "first: shiftwork undo US-003 --run r1",
        ),
        (
            fold_run(CHAIN, landed(3)),
            undo(1),
            "US-002 depends on US-001 and landed after it",
            "first: shiftwork undo US-003 --run r1",
        ),
        (CHAIN, undo(1), "US-002 depends on US-001 and landed after it", "first: shiftwork cancel r1 --story US-003"),
        (
            BUILT_ON,
            undo(1),
            "US-002, US-003, in progress, build on US-001",
            "first: shiftwork cancel r1 --story US-002",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_what_to_type_and_changes_nothing(
    run: RunState, intent: Fact, reason: str, hint: str
) -> None:
    why = objection(run, intent)
    assert why is not None
    assert (why.reason, why.hint) == (reason, hint)
    assert fold_run(run, intent) is run


def test_every_intent_is_one_of_a_run() -> None:
    assert {kind.__module__.rpartition(".")[0] for kind in INTENTS} == {r.__name__}
