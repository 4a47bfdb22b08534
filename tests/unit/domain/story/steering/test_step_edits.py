"""A person's edits of the steps: answered one at a time, in the order of the history, before any other work."""

import pytest

from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.effect import Conclude
from shiftwork.domain.core.ids import StepId, step_id
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.state import FailureCause, HoldCause, StoryState
from shiftwork.domain.story.steering import step_edits
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.guardrails import HARNESS, PERSON, Rejected
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.testing.builders import (
    after_steps,
    began,
    concluded,
    conclusion,
    failed,
    fold_story,
    landing_asked,
    next_effect,
    started_story,
)

REVIEW, FINAL = step_id(8), step_id(10)


def skip(step: StepId) -> Edit:
    return Edit(operation=Operation.SKIP, reason="small", target=step)


def asked(story: StoryState, *edits: Edit) -> StoryState:
    return fold_story(story, story_facts.WorkflowEditRequested(at=5, edits=edits))


def test_a_request_is_answered_before_the_next_step_and_recorded_with_its_author() -> None:
    story = asked(after_steps(started_story(), 4), skip(REVIEW))
    fact = conclusion(story)
    assert isinstance(fact, story_facts.WorkflowEdited)
    assert (fact.by, fact.edits) == (PERSON, (skip(REVIEW),))
    assert [row for row in fact.after if row not in fact.before] == [f"{REVIEW} review skipped {_description(story)}"]
    assert concluded(story).pipeline.step(REVIEW).status is StepStatus.SKIPPED


def _description(story: StoryState) -> str:
    return story.pipeline.step(REVIEW).plan.description


def test_requests_are_answered_in_their_order_each_under_its_own_key() -> None:
    story = asked(asked(after_steps(started_story(), 4), skip(REVIEW)), skip(REVIEW))
    first = next_effect(story)
    second = next_effect(concluded(story))
    assert isinstance(first, Conclude)
    assert isinstance(second, Conclude)
    assert (first.key, second.key) == ("edit/1", "edit/2")
    (rejected,) = second.facts
    assert isinstance(rejected, story_facts.WorkflowEditRejected)
    assert "step-008 is skipped; only pending steps can be changed" in rejected.reason
    done = concluded(concluded(story))
    assert (done.control.edits, done.control.edited) == ((), 2)


def test_a_rejected_request_names_the_rule_and_no_agent_is_told_that_it_was_its_own() -> None:
    story = asked(after_steps(started_story(), 4), skip(FINAL))
    fact = conclusion(story)
    assert isinstance(fact, story_facts.WorkflowEditRejected)
    assert "final_review is mandatory and cannot be skipped" in fact.reason
    assert fact.request == "skip step-010: small"
    after = concluded(story)
    assert after.dialogue.messages == ()
    assert [(note.by, note.text) for note in after.dialogue.rejected] == [(PERSON, fact.reason)]
    assert after.pipeline == story.pipeline


def test_an_agents_rejected_edit_is_kept_too_and_leaves_the_requests_of_people() -> None:
    story = asked(after_steps(started_story(), 4), skip(REVIEW))
    rejected = story_facts.WorkflowEditRejected(at=6, by="step-004", request="{}", reason="no reason")
    after = fold_story(story, rejected)
    assert after.control.edits == ((skip(REVIEW),),)
    assert after.dialogue.messages == ("Your workflow edit was rejected: no reason",)
    assert [note.by for note in after.dialogue.rejected] == ["step-004"]


def test_a_story_that_waits_for_a_person_answers_requests_too() -> None:
    held = fold_story(
        after_steps(started_story(), 4), story_facts.StoryHeld(at=4, cause=HoldCause.QUESTION, detail="which?")
    )
    assert isinstance(conclusion(asked(held, skip(REVIEW))), story_facts.WorkflowEdited)


def test_a_story_continues_if_the_step_that_has_reached_its_limit_is_skipped() -> None:
    story = started_story("coding", "review", "final_review", limits=Limits(step=Budget(usd=1.0)))
    spent = fold_story(began_and_failed(after_steps(story, 1), Usage(cost_usd=2.0)))
    held = concluded(concluded(spent))
    assert held.asks
    assert held.asks.cause is HoldCause.LIMIT
    skipped = concluded(asked(held, skip(step_id(2))))
    assert skipped.asks is None
    described = Edit(operation=Operation.EDIT_DESCRIPTION, reason="r", target=step_id(3), description="d")
    assert concluded(asked(held, described)).asks == held.asks, "another edit does not end the wait"


def began_and_failed(story: StoryState, usage: Usage) -> StoryState:
    running = fold_story(story, began(story))
    return fold_story(running, failed(running, usage=usage))


def test_the_steps_of_a_story_that_lands_are_done() -> None:
    story = landing_asked("coding", "final_review")
    add = Edit(
        operation=Operation.ADD_AFTER, reason="r", target=step_id(1), steps=(NewStep(type="coding", description="d"),)
    )
    fact = conclusion(asked(story, add))
    assert isinstance(fact, story_facts.WorkflowEditRejected)
    assert fact.reason == "the story is landing: its steps are done"


def test_a_story_that_has_ended_accepts_nothing() -> None:
    ended = fold_story(started_story(), story_facts.StoryFailed(at=9, cause=FailureCause.CANCELLED, reason="cancelled"))
    assert step_edits.outcome(ended, (skip(REVIEW),)) == Rejected(reason="the story has ended")


@pytest.mark.parametrize(
    ("target", "ends"), [(step_id(5), True), (step_id(4), False), (step_id(6), False)], ids=["runs", "done", "pending"]
)
def test_only_a_restart_of_the_running_step_ends_its_attempt(target: StepId, *, ends: bool) -> None:
    story = after_steps(started_story(), 4)
    running = fold_story(story, began(story))
    restart = Edit(operation=Operation.RESTART, reason="wrong path", target=target)
    assert step_edits.ends_attempt(running, step_id(5), (restart,)) is ends
    assert not step_edits.ends_attempt(running, step_id(5), (skip(step_id(5)),))


def test_nothing_is_due_without_a_request() -> None:
    story = after_steps(started_story(), 4)
    assert step_edits.due(story) == ()
    assert decide_story(story) != ()


def test_a_repair_step_says_that_the_harness_added_it() -> None:
    story = landing_asked("coding", "final_review")
    refused = story_facts.LandingRefused(at=9, cause=Refusal.GATES, detail="red", files=(), base=story.work.base)
    repaired = concluded(fold_story(story, refused))
    assert [step.added_by for step in repaired.pipeline.steps] == ["", HARNESS, ""]


def test_operations_are_spelled_in_one_line() -> None:
    new = (NewStep(type="coding", description="a"), NewStep(type="coding", description="b"))
    split = Edit(operation=Operation.SPLIT, reason="large", target=REVIEW, steps=new)
    assert step_edits.spelled(split) == "split step-008 coding (a), coding (b): large"
    order = Edit(operation=Operation.REORDER, reason="first", order=(FINAL, REVIEW))
    assert step_edits.spelled(order) == "reorder step-010, step-008: first"
