"""Refused work: a story fails immediately if a step changed nothing. If work is refused twice for the same reason,
another profile may try once, and then the story fails.
"""

from dataclasses import replace

import pytest

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import Commit, step_id
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.recovery.plateau import escalation, on_plateau, unchanged_step, whole_story
from shiftwork.domain.story.state import LandingStage, StoryState
from shiftwork.domain.workflow.edit_request import Edit, Operation
from shiftwork.testing.builders import (
    BASE,
    after_steps,
    asked,
    assignment,
    began,
    concluded,
    conclusion,
    done,
    fold_story,
    landing_asked,
    next_effect,
    planned,
    started_story,
)

LONG = "gate test failed:\nassert 3 == 4\n1 failed in {seconds}s"


def refused(story: StoryState, detail: str, cause: Refusal = Refusal.GATES) -> StoryState:
    return fold_story(story, story_facts.LandingRefused(at=1, cause=cause, detail=detail, files=(), base=BASE))


def repaired(story: StoryState) -> StoryState:
    """The repair that is planned now has been made, and the story is ready to merge again."""
    fixed = after_steps(concluded(story), 2)
    return fold_story(fixed, story_facts.LandingRequested(at=1, number=fixed.landing.requests + 1, tip=fixed.work.head))


def asking(escalate: str = "", repairs: int = 4) -> StoryState:
    return landing_asked("coding", "final_review", limits=Limits(repairs=repairs, escalate=escalate))


def twice(story: StoryState) -> StoryState:
    return refused(repaired(refused(story, LONG.format(seconds=0.1))), LONG.format(seconds=7.25))


def test_one_failure_is_no_plateau() -> None:
    story = refused(asking("thorough"), "red")
    assert (on_plateau(story), escalation(story), whole_story(story)) == (False, "", "")


def test_a_failure_is_known_again_whatever_it_took() -> None:
    assert on_plateau(twice(asking()))


@pytest.mark.parametrize("cause", [Refusal.GATES, Refusal.EMPTY, Refusal.CONFLICT, Refusal.EVIDENCE])
def test_the_same_refusal_twice_is_a_plateau_whatever_its_kind(cause: Refusal) -> None:
    story = refused(repaired(refused(asking(), "same", cause)), "same", cause)
    assert on_plateau(story)
    ending = conclusion(story)
    assert isinstance(ending, story_facts.StoryFailed)
    assert ending.reason == f"not landed ({cause}) after 1 repair (the same failure came back): same"


@pytest.mark.parametrize("first", [Refusal.GATES, Refusal.EMPTY, Refusal.CONFLICT, Refusal.EVIDENCE])
@pytest.mark.parametrize("then", [Refusal.GATES, Refusal.EMPTY, Refusal.CONFLICT, Refusal.EVIDENCE])
def test_refusals_of_two_kinds_are_never_the_same(first: Refusal, then: Refusal) -> None:
    story = refused(repaired(refused(asking(), "same", first)), "same", then)
    assert on_plateau(story) == (first is then)


def test_a_conflict_with_another_commit_is_another_conflict() -> None:
    second, third = Commit("2f64155e" * 5), Commit("0728933b" * 5)
    conflict = story_facts.LandingRefused(at=1, cause=Refusal.CONFLICT, detail="a.py", files=("a.py",), base=BASE)
    merged = story_facts.BaseMerged(at=1, commit=Commit("merged"), base=second, files=("a.py",))
    again = fold_story(concluded(fold_story(asking(), replace(conflict, base=second))), merged)
    again = after_steps(again, 2)
    again = fold_story(again, story_facts.LandingRequested(at=1, number=2, tip=again.work.head))
    assert not on_plateau(fold_story(again, replace(conflict, base=third)))
    assert on_plateau(fold_story(again, replace(conflict, base=second)))


def test_dependencies_that_cannot_be_installed_are_for_a_person_and_no_failure_of_the_work() -> None:
    assert refused(asking(), "no network", Refusal.DEPENDENCIES).landing.failures == ()


# A step that changed nothing --------------------------------------------------------------------------------------


def idle(*steps: str, may_be_empty: bool = False) -> StoryState:
    """A story whose first step has ended without a change."""
    plans = tuple(planned(step) for step in steps)
    given = assignment(asked(may_be_empty=may_be_empty))
    story = fold_story(
        StoryState(),
        story_facts.StoryStarted(at=1, assignment=given, steps=plans),
        story_facts.WorkspacePrepared(at=2, number=1, base=BASE, head=BASE),
    )
    story = fold_story(story, began(story))
    return fold_story(story, done(story, commit=BASE))


def test_a_coding_step_without_a_change_is_refused_and_repaired_before_the_next_step() -> None:
    story = idle("coding", "linting", "final_review")
    refusal = conclusion(story)
    assert isinstance(refusal, story_facts.WorkRefused)
    assert (refusal.step, refusal.cause) == (step_id(1), Refusal.EMPTY)
    repair = concluded(concluded(story))
    assert [step.plan.type for step in repair.pipeline.steps] == ["coding", "coding", "linting", "final_review"]
    assert (repair.landing.repairs, repair.landing.progress) == (1, LandingStage.NONE)
    effect = next_effect(repair)
    assert isinstance(effect, story_effects.RunAgent)
    assert effect.step == step_id(4)


def test_what_was_skipped_among_the_steps_ahead_does_not_put_the_repair_behind_one_of_them() -> None:
    story = idle("coding", "review", "prune_tests", "final_review")
    skipped = Edit(operation=Operation.SKIP, target=step_id(3), reason="no tests")
    story = fold_story(story, story_facts.WorkflowEdited(at=1, by="a person", edits=(skipped,), before=(), after=()))
    repair = concluded(concluded(story))
    assert [step.id for step in repair.pipeline.steps][:2] == [step_id(1), step_id(5)]


def test_a_repair_that_changes_nothing_either_is_the_end() -> None:
    story = concluded(concluded(idle("coding", "final_review")))
    story = fold_story(story, began(story))
    story = concluded(fold_story(story, done(story, commit=BASE)))
    ending = conclusion(story)
    assert isinstance(ending, story_facts.StoryFailed)
    message = "not landed (empty) after 1 repair (the same failure came back): step-003 repair ended without"
    assert ending.reason.startswith(message)


@pytest.mark.parametrize(
    ("steps", "may_be_empty"),
    [
        (("planning", "coding"), False),
        (("custom", "review"), False),
        (("coding", "coding"), False),
        (("coding", "architecture", "review", "coding", "final_review"), False),
        (("coding", "review"), True),
    ],
)
def test_who_was_not_to_change_anything_or_is_followed_by_who_is_is_not_refused(
    steps: tuple[str, ...], *, may_be_empty: bool
) -> None:
    story = idle(*steps, may_be_empty=may_be_empty)
    assert unchanged_step(story) is None
    assert isinstance(next_effect(story), story_effects.RunAgent)


def test_only_the_last_step_that_writes_must_have_changed_something() -> None:
    """A first coding step may be a trial that keeps nothing."""
    story = idle("coding", "architecture", "coding", "final_review")
    for _ in range(2):
        assert unchanged_step(story) is None
        story = fold_story(story, began(story))
        story = fold_story(story, done(story, commit=BASE))
    found = unchanged_step(story)
    assert found is not None
    assert found.id == step_id(3)


def test_a_recorded_refusal_of_a_step_that_others_follow_stays_one() -> None:
    story = idle("coding", "coding")
    refusal = story_facts.WorkRefused(at=1, step=step_id(1), cause=Refusal.EMPTY, detail="d")
    assert fold_story(story, refusal).landing.progress is LandingStage.REFUSED


def test_a_story_without_a_step_behind_it_is_not_refused() -> None:
    assert unchanged_step(started_story("coding")) is None


def test_a_refusal_of_another_step_or_at_another_time_changes_nothing() -> None:
    story = idle("coding", "review")
    refusal = story_facts.WorkRefused(at=1, step=step_id(2), cause=Refusal.EMPTY, detail="d")
    assert fold_story(story, refusal) == story
    changed = after_steps(started_story("coding", "review"), 1)
    assert fold_story(changed, replace(refusal, step=step_id(1))) == changed
    once = concluded(story)
    assert fold_story(once, replace(refusal, step=step_id(1))) == once


# The same failure -------------------------------------------------------------------------------------------------


def test_another_failure_is_no_plateau() -> None:
    story = refused(repaired(refused(asking(), "one")), "two")
    assert not on_plateau(story)
    assert isinstance(conclusion(story), story_facts.RepairPlanned)


def test_without_somebody_to_call_in_the_story_fails_with_what_came_back_reported_once() -> None:
    ending = conclusion(twice(asking()))
    assert isinstance(ending, story_facts.StoryFailed)
    message = "not landed (gates) after 1 repair (the same failure came back): "
    assert ending.reason == message + LONG.format(seconds=7.25)


def test_what_the_gates_said_before_something_else_came_back_is_reported_too() -> None:
    ending = conclusion(twice(repaired(refused(asking(), "gate lint failed:\ntoo long"))))
    assert isinstance(ending, story_facts.StoryFailed)
    message = (
        "not landed (gates) after 2 repairs (the same failure came back; before that: gate lint failed: … too long): "
    )
    assert ending.reason == message + LONG.format(seconds=7.25)


def test_the_same_failure_is_known_again_though_each_check_has_its_own_log() -> None:
    said = "gate lint failed:\nfirst error: cart.py:3: too long\nwhole log: /logs/r1/US-001/{name}.log\n1 failed"
    story = repaired(refused(asking(), said.format(name="verify-1")))
    story = repaired(refused(story, "gate test failed:\nE assert 1"))
    ending = conclusion(refused(repaired(refused(story, said.format(name="verify-2"))), said.format(name="verify-3")))
    assert isinstance(ending, story_facts.StoryFailed)
    assert "(the same failure came back; before that: gate test failed: … E assert 1)" in ending.reason
    ending = conclusion(twice(repaired(refused(asking(), said.format(name="verify-1")))))
    assert isinstance(ending, story_facts.StoryFailed)
    assert "; before that: gate lint failed: cart.py:3: too long)" in ending.reason


def test_a_profile_is_called_in_once() -> None:
    story = twice(asking("thorough"))
    planned = conclusion(story)
    assert isinstance(planned, story_facts.RepairPlanned)
    assert planned.profile == "thorough"
    repair = concluded(story)
    assert [step.profile for step in repair.pipeline.steps] == ["", "", "thorough", ""]
    assert repair.landing.escalated == "thorough"
    ending = conclusion(refused(repaired(story), LONG.format(seconds=3)))
    assert isinstance(ending, story_facts.StoryFailed)
    assert "also after thorough had tried" in ending.reason


def test_calling_in_does_not_exceed_the_repairs_there_are() -> None:
    assert isinstance(conclusion(twice(asking("thorough", repairs=1))), story_facts.StoryFailed)


def test_what_was_broken_before_is_remembered_with_the_refusal() -> None:
    refusal = story_facts.LandingRefused(at=1, cause=Refusal.GATES, detail="d", files=(), base=BASE, broken=("lint",))
    story = fold_story(asking(), refusal)
    assert story.landing.refused is not None
    assert story.landing.refused.broken == ("lint",)
