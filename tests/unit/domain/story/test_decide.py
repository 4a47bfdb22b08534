"""What a story does next: from the workspace to its release, through failures, holds and refusals."""

from dataclasses import replace

import pytest

from shiftwork.domain.budget.amounts import Budget, Reached, Whose
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import Commit, step_id
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.decide import MAX_WORKSPACES, decide_story
from shiftwork.domain.story.facts.budget import LimitsSet
from shiftwork.domain.story.facts.withdrawal import LandingWithdrawalAsked
from shiftwork.domain.story.state import FailureCause, Hold, HoldCause, StoryState, StoryStatus
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.domain.workflow.workflow import Exhausted, StepKind
from shiftwork.testing.builders import (
    BASE,
    after_steps,
    assignment,
    began,
    cancelled,
    concluded,
    conclusion,
    done,
    failed,
    fold_story,
    interrupted,
    landing_asked,
    next_effect,
    planned,
    started_story,
)

# The way of a story to which nothing happens -----------------------------------------------------------------------


def test_it_begins_with_a_workspace() -> None:
    story = fold_story(
        StoryState(), story_facts.StoryStarted(at=1, assignment=assignment(), steps=(planned("coding"),))
    )
    assert next_effect(story) == story_effects.PrepareWorkspace(
        key="workspace/1", number=1, head=Commit(""), base=Commit("")
    )


def test_a_workspace_that_is_lost_again_and_again_fails_the_story() -> None:
    story = replace(made := started_story(), work=replace(made.work, workspace=MAX_WORKSPACES, ready=False))
    failure = conclusion(story)
    assert isinstance(failure, story_facts.StoryFailed)
    assert failure.cause is FailureCause.WORKSPACE


def test_then_each_step_is_one_attempt_of_an_agent() -> None:
    story = started_story("coding", "final_review")
    assert next_effect(story) == story_effects.RunAgent(key="step-001/1@1", step=step_id(1), attempt=1)
    assert next_effect(after_steps(story, 1)) == story_effects.RunAgent(key="step-002/1@1", step=step_id(2), attempt=1)


def test_an_attempt_whose_end_no_one_knows_is_asked_for_again_under_its_key() -> None:
    story = started_story("coding")
    assert next_effect(fold_story(story, began(story))) == next_effect(story)


def test_a_gate_step_is_the_harnesss_own() -> None:
    story = started_story(planned("checks", StepKind.GATE))
    assert next_effect(story) == story_effects.RunGates(key="step-001/1", step=step_id(1), attempt=1)


def test_then_it_asks_to_land_and_waits() -> None:
    story = after_steps(started_story("coding"), 1)
    asked = next_effect(story)
    assert asked == story_effects.RequestLanding(key="landing/1", number=1, tip=story.work.head)
    story = fold_story(story, story_facts.LandingRequested(at=1, number=1, tip=story.work.head))
    assert next_effect(story) == e.Receive(key="receive/0", cursor=0)


def test_a_landed_story_is_completed_reports_and_releases_its_workspace() -> None:
    story = fold_story(landing_asked("coding"), story_facts.LandingAccepted(at=1, commit=Commit("c"), ref="main"))
    assert conclusion(story) == story_facts.StoryCompleted(at=0, commit=Commit("c"))
    story = concluded(story)
    assert story.status is StoryStatus.COMPLETED
    assert next_effect(story) == story_effects.ReportStory(key="report")
    story = fold_story(story, story_facts.StoryReported(at=1))
    assert next_effect(story) == story_effects.ReleaseWorkspace(key="release", number=1)
    assert decide_story(fold_story(story, story_facts.WorkspaceReleased(at=1, number=1))) == ()


def test_a_story_of_an_earlier_release_has_released_its_workspace_and_still_reports() -> None:
    story = fold_story(landing_asked("coding"), story_facts.LandingAccepted(at=1, commit=Commit("c"), ref="main"))
    story = fold_story(concluded(story), story_facts.WorkspaceReleased(at=1, number=1))
    assert next_effect(story) == story_effects.ReportStory(key="report")
    assert decide_story(fold_story(story, story_facts.StoryReported(at=1))) == ()


def test_a_story_without_a_workspace_has_none_to_release() -> None:
    story = fold_story(
        StoryState(),
        story_facts.StoryStarted(at=1, assignment=assignment(), steps=(planned("coding"),)),
        story_facts.StoryFailed(at=2, cause=FailureCause.WORKSPACE, reason="no disk"),
    )
    assert next_effect(story) == story_effects.ReportStory(key="report")


def test_a_story_without_steps_asks_to_land_at_once() -> None:
    story = fold_story(
        StoryState(),
        story_facts.StoryStarted(at=1, assignment=assignment(), steps=()),
        story_facts.WorkspacePrepared(at=2, number=1, base=BASE, head=BASE),
    )
    assert next_effect(story) == story_effects.RequestLanding(key="landing/1", number=1, tip=BASE)


# Failures ----------------------------------------------------------------------------------------------------------


def test_a_failed_step_is_tried_again_with_what_went_wrong() -> None:
    story = started_story("coding")
    story = fold_story(story, began(story))
    story = fold_story(story, failed(story))
    assert conclusion(story) == story_facts.StepRetried(at=0, step=step_id(1), feedback="it crashed")
    story = concluded(story)
    assert story.pipeline.steps[0].feedback == "it crashed"
    assert next_effect(story) == story_effects.RunAgent(key="step-001/2@1", step=step_id(1), attempt=2)


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_a_step_fails_the_story_when_its_retries_are_spent(retries: int) -> None:
    story = started_story(planned("coding", max_retries=retries))
    for _ in range(retries):
        story = fold_story(story, began(story))
        story = concluded(fold_story(story, failed(story)))
    story = fold_story(story, began(story))
    ending = conclusion(fold_story(story, cancelled(story)))
    assert isinstance(ending, story_facts.StoryFailed)
    assert ending.cause is FailureCause.STEP
    tries = "1 attempt:" if retries == 0 else f"{retries + 1} attempts:"
    assert ending.reason == f"step-001 coding cancelled after {tries} it timed_out"


def test_an_interrupted_step_spends_no_retry_and_gets_a_new_workspace() -> None:
    story = after_steps(started_story("planning", planned("coding", max_retries=0)), 1)
    for number in range(2, 5):
        story = fold_story(story, began(story))
        story = fold_story(story, interrupted(story))
        asked = next_effect(story)
        assert asked == story_effects.PrepareWorkspace(
            key=f"workspace/{number}", number=number, head=story.work.head, base=BASE
        )
        story = fold_story(story, story_facts.WorkspacePrepared(at=1, number=number, base=BASE, head=story.work.head))
        assert next_effect(story) == story_effects.RunAgent(
            key=f"step-002/{number}@{number}", step=step_id(2), attempt=number
        )
    assert story.pipeline.step(step_id(2)).retries == 0


def test_an_attempt_that_found_its_workspace_gone_is_asked_for_again_under_another_key() -> None:
    """What comes of it could not be recorded under a key that has been used for the loss."""
    story = started_story("coding")
    lost = fold_story(story, story_facts.WorkspaceLost(at=1, number=1, reason="no such folder"))
    assert next_effect(lost) == story_effects.PrepareWorkspace(key="workspace/2", number=2, head=BASE, base=BASE)
    again = fold_story(lost, story_facts.WorkspacePrepared(at=1, number=2, base=BASE, head=BASE))
    assert next_effect(again) == story_effects.RunAgent(key="step-001/1@2", step=step_id(1), attempt=1)
    assert fold_story(again, story_facts.WorkspaceLost(at=1, number=1, reason="late")) == again


# Holds -------------------------------------------------------------------------------------------------------------


def spent(usd: float, limit: float) -> StoryState:
    story = started_story("planning", "coding", limits=Limits(story=Budget(usd=limit)))
    story = fold_story(story, began(story))
    return fold_story(story, done(story, usage=Usage(cost_usd=usd)))


def held_at(usd: float, limit: float) -> story_facts.StoryHeld:
    detail = f"the story has spent {usd:.2f} of {limit:.2f} USD"
    reached = Reached(whose=Whose.STORY, limit=Budget(usd=limit), spent=Budget(usd=usd))
    return story_facts.StoryHeld(at=0, cause=HoldCause.LIMIT, detail=detail, reached=reached)


def test_a_story_that_has_spent_its_limit_waits_for_a_person() -> None:
    assert isinstance(next_effect(spent(0.99, limit=1.0)), story_effects.RunAgent)
    story = spent(1.0, limit=1.0)
    assert conclusion(story) == held_at(1.0, limit=1.0)
    assert next_effect(concluded(story)) == e.Receive(key="receive/0", cursor=0)


def test_a_limit_of_nothing_holds_a_story_whose_cost_is_not_known() -> None:
    story = started_story("coding", limits=Limits(story=Budget(usd=0.0)))
    assert conclusion(story) == held_at(0.0, limit=0.0)


def test_a_raised_limit_lets_it_continue() -> None:
    held = concluded(spent(1.0, limit=1.0))
    story = fold_story(held, LimitsSet(at=1, limits=Limits(story=Budget(usd=2.0))))
    assert isinstance(next_effect(story), story_effects.RunAgent)
    assert (
        fold_story(held, story_facts.StoryReleased(at=1, granted=True, answer="go on")).waiting.hold
        == held.waiting.hold
    ), "words do not"


@pytest.mark.parametrize("limits", [Limits(), Limits(run=Budget(usd=9.0)), Limits(step=Budget(tokens=9))])
def test_a_word_about_other_limits_changes_nothing(limits: Limits) -> None:
    story = concluded(spent(1.0, limit=1.0))
    assert fold_story(story, LimitsSet(at=1, limits=limits)).waiting.hold == story.waiting.hold


def test_a_limit_that_is_raised_too_little_is_the_same_wait_and_reported_again() -> None:
    story = concluded(spent(1.0, limit=0.5))
    held = fold_story(story, LimitsSet(at=1, limits=Limits(story=Budget(usd=0.9))))
    story_held = held_at(1.0, limit=0.9)
    hold = Hold(cause=HoldCause.LIMIT, detail="the story has spent 1.00 of 0.90 USD", reached=story_held.reached)
    assert (held.waiting.hold, held.waiting.holds) == (hold, story.waiting.holds)


def test_other_limits_hold_at_once_and_answer_nothing_but_a_wait_at_a_limit() -> None:
    limits = Limits(story=Budget(usd=1.0))
    asking = approval_asked()
    story = fold_story(asking, LimitsSet(at=1, limits=limits))
    assert (story.waiting.hold, story.spending.limits.story, story.pipeline) == (
        asking.waiting.hold,
        limits.story,
        asking.pipeline,
    )
    going = fold_story(spent(1.0, limit=9.0), LimitsSet(at=1, limits=limits))
    assert conclusion(going) == held_at(1.0, limit=1.0)


def test_a_limit_that_is_not_raised_ends_it() -> None:
    held = concluded(spent(1.0, limit=1.0))
    story = fold_story(held, story_facts.StoryReleased(at=1, granted=False, answer=""))
    assert conclusion(story) == story_facts.StoryFailed(at=0, cause=FailureCause.CANCELLED, reason="cancelled")


def test_a_limit_does_not_stop_an_attempt_in_progress() -> None:
    story = spent(1.0, limit=2.0)
    running = replace(
        made := fold_story(story, began(story)), spending=replace(made.spending, limits=Limits(story=Budget(usd=0.5)))
    )
    assert isinstance(next_effect(running), story_effects.RunAgent)


def approval_asked() -> StoryState:
    story = started_story(planned("sign_off", StepKind.APPROVAL, description="Ship it?"), "coding")
    return concluded(concluded(story))


def test_an_approval_is_begun_then_asked() -> None:
    story = started_story(planned("sign_off", StepKind.APPROVAL, description="Ship it?"), "coding")
    assert conclusion(story) == story_facts.StepStarted(at=0, step=step_id(1), attempt=1, commit=BASE, log="")
    assert conclusion(concluded(story)) == story_facts.StoryHeld(at=0, cause=HoldCause.APPROVAL, detail="Ship it?")


@pytest.mark.parametrize(
    ("ask", "description", "asked"),
    [
        ("May this land?", "Sign-off", "May this land?"),
        (
            "Land {{ task }} of {{current_story_id}} on {{branch}}, {{verdict}}?",
            "",
            "Land Do it of US-001 on main, {{task}}?",
        ),
        (" {{unknown}} ", "Ship it?", "Ship it?"),
        ("", "", "sign_off: may it continue?"),
    ],
    ids=["its own words", "filled once", "nothing to fill it with", "nothing at all"],
)
def test_an_approval_asks_in_its_own_words_and_never_nothing(ask: str, description: str, asked: str) -> None:
    story = started_story(planned("sign_off", StepKind.APPROVAL, input=ask, description=description), "coding")
    known = replace(
        story,
        dialogue=replace(story.dialogue, context=(("verdict", "{{task}}"),)),
        assignment=replace(story.given, task="Do it"),
    )
    held = conclusion(concluded(known))
    assert isinstance(held, story_facts.StoryHeld)
    assert held.detail == asked


def test_an_approval_that_is_granted_completes_its_step() -> None:
    story = fold_story(approval_asked(), story_facts.StoryReleased(at=1, granted=True, answer="go"))
    assert story.pipeline.steps[0].status is StepStatus.COMPLETED
    assert next_effect(story) == story_effects.RunAgent(key="step-002/1@1", step=step_id(2), attempt=1)


def test_an_approval_that_is_refused_fails_the_story_and_is_not_asked_again() -> None:
    story = fold_story(approval_asked(), story_facts.StoryReleased(at=1, granted=False, answer="not yet"))
    ending = conclusion(story)
    assert isinstance(ending, story_facts.StoryFailed)
    assert ending.reason.endswith("not yet")


def exhausted() -> StoryState:
    story = started_story(planned("coding", max_retries=0, exhausted=Exhausted.ASK))
    story = fold_story(story, began(story))
    return fold_story(story, failed(story))


def test_a_step_may_ask_a_person_when_its_retries_are_spent() -> None:
    fact = conclusion(exhausted())
    assert isinstance(fact, story_facts.StoryHeld)
    assert fact.cause is HoldCause.EXHAUSTED
    assert "it crashed" in fact.detail


def test_the_persons_answer_gives_the_step_its_retries_back() -> None:
    answer = story_facts.StoryReleased(at=1, granted=True, answer="use the other library")
    story = fold_story(concluded(exhausted()), answer)
    assert next_effect(story) == story_effects.RunAgent(key="step-001/2@1", step=step_id(1), attempt=2)
    assert (story.pipeline.steps[0].retries, story.pipeline.steps[0].feedback) == (0, "use the other library")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "cancelled after step-001 coding failed: it crashed"),
        ("no use", "rejected after step-001 coding failed: it crashed: no use"),
    ],
)
def test_a_person_who_gives_up_on_a_step_ends_the_story(answer: str, message: str) -> None:
    released = story_facts.StoryReleased(at=1, granted=False, answer=answer)
    ending = conclusion(fold_story(concluded(exhausted()), released))
    assert ending == story_facts.StoryFailed(at=0, cause=FailureCause.CANCELLED, reason=message)


# Cancelling --------------------------------------------------------------------------------------------------------


def test_a_cancelled_story_fails_wherever_it_stands() -> None:
    cancel = story_facts.StoryCancelRequested(at=1)
    for story in (started_story("coding"), approval_asked(), exhausted()):
        ending = conclusion(fold_story(story, cancel))
        assert isinstance(ending, story_facts.StoryFailed)
        assert ending.cause is FailureCause.CANCELLED
        assert ending.reason.startswith("cancelled")


def test_a_story_that_may_be_landing_right_now_waits_for_the_answer_before_it_is_cancelled() -> None:
    story = fold_story(landing_asked("coding"), story_facts.StoryCancelRequested(at=1), MessagesRead(at=1, upto=4))
    assert next_effect(story) == story_effects.WithdrawLanding(key="withdraw/1", number=1)
    story = fold_story(story, LandingWithdrawalAsked(at=1, number=1))
    assert next_effect(story) == e.Receive(key="receive/4", cursor=4)
    landed = fold_story(story, story_facts.LandingAccepted(at=1, commit=Commit("c"), ref="main"))
    assert isinstance(conclusion(landed), story_facts.StoryCompleted)
    refused = fold_story(story, story_facts.LandingRefused(at=1, cause=Refusal.GATES, detail="", files=(), base=BASE))
    assert isinstance(conclusion(refused), story_facts.StoryFailed)
