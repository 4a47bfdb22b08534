"""A story is retried, reverted or paused."""

from dataclasses import replace

import pytest

from shiftwork.domain.agents.rate_limit import Awaited, Waited
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.facts.withdrawal import LandingWithdrawalAsked
from shiftwork.domain.story.state import FailureCause, Hold, HoldCause, LandingStage, StoryState, StoryStatus
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.testing.builders import (
    BASE,
    after_steps,
    assignment,
    began,
    concluded,
    conclusion,
    done,
    failed,
    fold_story,
    landing_asked,
    next_effect,
    planned,
    started_story,
)

STEPS = (planned("coding", max_retries=0), planned("final_review", max_retries=0))


def reopening(*, from_scratch: bool = False, cursor: int = 0) -> story_facts.StoryReopened:
    return story_facts.StoryReopened(
        at=50, assignment=assignment(), steps=STEPS, from_scratch=from_scratch, cursor=cursor
    )


def failed_in_review() -> StoryState:
    """Coding is done, the review has failed for good; it has cost something, and notes were taken."""
    story = fold_story(started_story(*STEPS), MessagesRead(at=3, upto=4))
    story = fold_story(story, began(story))
    story = fold_story(story, done(story, Usage(cost_usd=1.0), outputs=(("plan", "short"),)))
    story = fold_story(story, began(story))
    story = concluded(fold_story(story, failed(story, usage=Usage(cost_usd=0.5))))
    return fold_story(story, story_facts.WorkspaceReleased(at=41, number=1), story_facts.StoryReported(at=42))


def test_from_the_failed_step_the_work_is_kept_and_the_error_is_reported() -> None:
    before = failed_in_review()
    story = fold_story(before, reopening(cursor=7))
    assert (story.start_number, story.cursor, story.work.head) == (2, 7, before.work.head)
    assert (story.outcome.reason, story.outcome.cause, story.work.released, story.outcome.reported, story.ended_at) == (
        "",
        None,
        False,
        False,
        None,
    )
    coding, review = story.pipeline.steps
    assert (coding.status, review.status) == (StepStatus.COMPLETED, StepStatus.PENDING)
    assert (review.attempts, review.retries, review.feedback) == (1, 0, "it crashed")
    assert story.dialogue.context == (("plan", "short"),)
    prepare = next_effect(story)
    assert isinstance(prepare, story_effects.PrepareWorkspace)
    assert (prepare.key, prepare.number, prepare.head) == ("workspace/2#2", 2, before.work.head)
    story = fold_story(story, story_facts.WorkspacePrepared(at=51, number=2, base=BASE, head=before.work.head))
    assert next_effect(story).key == "step-002/2@2#2"


@pytest.mark.parametrize("from_scratch", [False, True])
def test_what_a_person_says_about_a_retry_is_for_all_further_attempts(*, from_scratch: bool) -> None:
    story = fold_story(failed_in_review(), replace(reopening(from_scratch=from_scratch), because="the API is v2"))
    ((ended, said),) = story.dialogue.answers
    assert said == "the API is v2"
    assert ended.startswith("The story has ended: ")
    assert fold_story(failed_in_review(), reopening(from_scratch=from_scratch)).dialogue.answers == ()


def test_a_story_that_has_changed_nothing_starts_at_the_branch_as_it_is_now() -> None:
    story = started_story(*STEPS)
    story = concluded(fold_story(story, began(story), failed(fold_story(story, began(story)))))
    story = fold_story(story, reopening())
    prepare = next_effect(story)
    assert isinstance(prepare, story_effects.PrepareWorkspace)
    assert (prepare.number, prepare.head, prepare.base) == (2, "", "")


@pytest.mark.parametrize("from_scratch", [False, True])
def test_what_it_has_waited_before_is_not_forgotten(*, from_scratch: bool) -> None:
    story = fold_story(started_story(*STEPS), story_facts.StoryHeld(at=5, cause=HoldCause.LIMIT, detail="spent"))
    story = fold_story(story, story_facts.StoryFailed(at=25, cause=FailureCause.CANCELLED, reason="no"))
    story = fold_story(story, reopening(from_scratch=from_scratch))
    assert (story.start_number, story.rate_limit.waited) == (2, (Waited(awaited=Awaited.PERSON, since=5, until=25),))


@pytest.mark.parametrize("from_scratch", [False, True])
def test_repairs_begin_again_and_those_of_before_are_still_counted(*, from_scratch: bool) -> None:
    story, over = started_story(*STEPS), story_facts.StoryFailed(at=25, cause=FailureCause.CANCELLED, reason="no")
    for scenario in (2, 3):
        story = fold_story(
            replace(story, landing=replace(story.landing, repairs=1, conflicts=2)),
            over,
            reopening(from_scratch=from_scratch),
        )
        assert (story.start_number, story.landing.repairs, story.landing.conflicts) == (scenario, 0, 0)
    assert story.landing.attempts_at_repair == (2, 4)


def test_from_scratch_nothing_of_the_work_is_left_but_what_it_has_cost() -> None:
    story = fold_story(failed_in_review(), reopening(from_scratch=True, cursor=2))
    assert [step.id for step in story.pipeline.steps] == ["step-003", "step-004"]
    assert (story.work.head, story.work.base, story.dialogue.context, story.dialogue.evidence) == ("", "", (), ())
    assert (story.spending.usage, story.cursor, story.work.workspace, story.started_at) == (
        Usage(cost_usd=1.5, attempts=2, uncounted=2),
        4,
        1,
        1,
    )
    prepare = next_effect(story)
    assert isinstance(prepare, story_effects.PrepareWorkspace)
    assert (prepare.head, prepare.base) == ("", "")


def test_a_story_that_gates_refused_is_shown_to_them_again_before_a_session_is_paid() -> None:
    refused = story_facts.LandingRefused(at=91, cause=Refusal.GATES, detail="red", files=(), base=BASE)
    story = concluded(fold_story(landing_asked("coding", "final_review", limits=Limits(repairs=0)), refused))
    assert story.outcome.cause is FailureCause.REFUSED
    story = fold_story(story, reopening())
    asking = next_effect(story)
    assert isinstance(asking, story_effects.RequestLanding)
    assert asking.tip == story.work.head
    story = fold_story(
        story, story_facts.LandingRequested(at=92, number=asking.number, tip=asking.tip), replace(refused, at=93)
    )
    assert isinstance(conclusion(story), story_facts.RepairPlanned), "they are still red"


def test_a_story_whose_landing_was_refused_for_anything_else_continues_its_repair() -> None:
    story = landing_asked("coding", "final_review", limits=Limits(repairs=0))
    story = fold_story(
        story, story_facts.LandingRefused(at=91, cause=Refusal.EVIDENCE, detail="red", files=(), base=BASE)
    )
    story = concluded(story)
    assert story.outcome.cause is FailureCause.REFUSED
    story = fold_story(story, reopening())
    planned_repair = conclusion(story)
    assert isinstance(planned_repair, story_facts.RepairPlanned)
    assert planned_repair.feedback == "red"


def test_a_story_that_was_cancelled_before_a_step_continues_with_it() -> None:
    story = concluded(fold_story(after_steps(started_story(*STEPS), 1), story_facts.StoryCancelRequested(at=30)))
    assert story.outcome.cause is FailureCause.CANCELLED
    story = fold_story(story, reopening())
    assert not story.control.cancelled
    assert [step.status for step in story.pipeline.steps] == ["completed", "pending"]


def test_a_story_whose_steps_are_all_done_asks_to_land_again() -> None:
    story = fold_story(
        landing_asked(*STEPS), story_facts.LandingAccepted(at=91, commit=Commit("c"), ref="main", base=BASE)
    )
    story = fold_story(concluded(story), story_facts.StoryReverted(at=95, commit=Commit("revert")))
    assert (story.status, story.outcome.cause, story.landing.progress, story.landed_commit) == (
        "undone",
        "undone",
        LandingStage.NONE,
        "",
    )
    story = fold_story(
        story, reopening(), story_facts.WorkspacePrepared(at=96, number=2, base=BASE, head=story.work.head)
    )
    assert next_effect(story).key == "landing/2#2"


def test_only_a_story_that_has_ended_is_reopened_and_only_one_that_has_landed_is_reverted() -> None:
    working = started_story(*STEPS)
    over = failed_in_review()
    assert fold_story(working, reopening(), story_facts.StoryReverted(at=1, commit=Commit("c"))) is working
    assert fold_story(over, story_facts.StoryReverted(at=1, commit=Commit("c"))) is over
    assert fold_story(StoryState(), reopening()) == StoryState()


# Paused --------------------------------------------------------------------------------------------------------------


def test_a_paused_story_waits_for_messages_and_continues_where_it_was() -> None:
    story = started_story(*STEPS)
    due = next_effect(story)
    paused = fold_story(story, story_facts.StoryPaused(at=5))
    assert next_effect(paused).key == "receive/0"
    assert fold_story(paused, story_facts.StoryPaused(at=6)) is paused
    assert next_effect(fold_story(paused, story_facts.StoryUnpaused(at=7))) == due
    assert fold_story(story, story_facts.StoryUnpaused(at=7)) is story


@pytest.mark.parametrize("answer", ["accepted", "refused"])
def test_a_paused_story_receives_its_landing(answer: str) -> None:
    """It has asked for its request back; the queue may have been quicker."""
    story = fold_story(landing_asked(*STEPS), story_facts.StoryPaused(at=90), LandingWithdrawalAsked(at=90, number=1))
    assert next_effect(story).key == "receive/0"
    if answer == "accepted":
        story = fold_story(story, story_facts.LandingAccepted(at=91, commit=Commit("c"), ref="main"))
        assert isinstance(conclusion(story), story_facts.StoryCompleted)
    else:
        story = fold_story(
            story, story_facts.LandingRefused(at=91, cause=Refusal.GATES, detail="red", files=(), base=BASE)
        )
        assert next_effect(concluded(story)).key == "receive/0", "it is repaired when the run continues"


def test_a_paused_story_can_be_cancelled() -> None:
    story = fold_story(started_story(*STEPS), story_facts.StoryPaused(at=5), story_facts.StoryCancelRequested(at=6))
    assert isinstance(conclusion(story), story_facts.StoryFailed)


def test_what_a_story_waited_for_before_is_not_waited_for_after_the_next_start() -> None:
    story = fold_story(started_story(*STEPS), story_facts.StoryHeld(at=5, cause=HoldCause.LIMIT, detail="spent"))
    assert story.waiting.hold == Hold(cause=HoldCause.LIMIT, detail="spent")
    story = concluded(fold_story(story, story_facts.StoryCancelRequested(at=6)))
    story = fold_story(story, reopening())
    assert (story.waiting.hold, story.waiting.holds) == (None, 1)


def test_a_failed_story_that_is_dismissed_is_cancelled_and_can_still_be_retried() -> None:
    over = failed_in_review()
    story = fold_story(over, story_facts.StoryDismissed(at=99))
    assert (story.status, story.outcome.cause) == (StoryStatus.CANCELLED, FailureCause.CANCELLED)
    assert story.outcome.reason == over.outcome.reason
    assert fold_story(story, story_facts.StoryDismissed(at=99)) is story
    assert fold_story(story, reopening()).status is StoryStatus.IN_PROGRESS
