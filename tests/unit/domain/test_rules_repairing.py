"""The same failure after a repair: somebody else is called in, once, and then it is over."""

import pytest

from shiftwork.domain.model import facts as f
from shiftwork.domain.model.story import Limits, Refusal, StoryState
from shiftwork.domain.rules.repairing import escalation, on_plateau, whole_story
from shiftwork.testing.builders import BASE, after_steps, concluded, conclusion, fold_story, landing_asked

LONG = "gate test failed:\nassert 3 == 4\n1 failed in {seconds}s"


def refused(story: StoryState, detail: str, cause: Refusal = Refusal.GATES) -> StoryState:
    return fold_story(story, f.LandingRefused(at=1, cause=cause, detail=detail, files=(), base=BASE))


def repaired(story: StoryState) -> StoryState:
    """The repair that is planned now has been made, and the story asks to land again."""
    mended = after_steps(concluded(story), 2)
    return fold_story(mended, f.LandingRequested(at=1, number=mended.landings + 1, tip=mended.head))


def asking(escalate: str = "", repairs: int = 4) -> StoryState:
    return landing_asked("coding", "final_review", limits=Limits(repairs=repairs, escalate=escalate))


def twice(story: StoryState) -> StoryState:
    return refused(repaired(refused(story, LONG.format(seconds=0.1))), LONG.format(seconds=7.25))


def test_one_failure_is_no_plateau() -> None:
    story = refused(asking("thorough"), "red")
    assert (on_plateau(story), escalation(story), whole_story(story)) == (False, "", "")


def test_a_failure_is_known_again_whatever_it_took() -> None:
    assert on_plateau(twice(asking()))


@pytest.mark.parametrize("cause", [Refusal.EMPTY, Refusal.CONFLICT])
def test_other_refusals_are_no_plateau(cause: Refusal) -> None:
    story = refused(repaired(refused(asking(), "same", cause)), "same", cause)
    assert not on_plateau(story)
    assert story.failures == ()


def test_another_failure_is_no_plateau() -> None:
    story = refused(repaired(refused(asking(), "one")), "two")
    assert not on_plateau(story)
    assert isinstance(conclusion(story), f.MendingPlanned)


def test_without_somebody_to_call_in_the_story_fails_with_what_came_back_told_once() -> None:
    ending = conclusion(twice(asking()))
    assert isinstance(ending, f.StoryFailed)
    told = "not landed (gates) after 1 repair (the same failure came back): "
    assert ending.reason == told + LONG.format(seconds=7.25)


def test_what_the_gates_said_before_something_else_came_back_is_told_too() -> None:
    ending = conclusion(twice(repaired(refused(asking(), "gate lint failed:\ntoo long"))))
    assert isinstance(ending, f.StoryFailed)
    told = (
        "not landed (gates) after 2 repairs (the same failure came back; before that: gate lint failed: … too long): "
    )
    assert ending.reason == told + LONG.format(seconds=7.25)


def test_a_profile_is_called_in_once() -> None:
    story = twice(asking("thorough"))
    planned = conclusion(story)
    assert isinstance(planned, f.MendingPlanned)
    assert planned.profile == "thorough"
    mending = concluded(story)
    assert [step.profile for step in mending.pipeline.steps] == ["", "", "thorough", ""]
    assert mending.escalated == "thorough"
    ending = conclusion(refused(repaired(story), LONG.format(seconds=3)))
    assert isinstance(ending, f.StoryFailed)
    assert "also after thorough had tried" in ending.reason


def test_calling_in_does_not_go_beyond_the_repairs_there_are() -> None:
    assert isinstance(conclusion(twice(asking("thorough", repairs=1))), f.StoryFailed)


def test_what_was_broken_before_is_remembered_with_the_refusal() -> None:
    refusal = f.LandingRefused(at=1, cause=Refusal.GATES, detail="d", files=(), base=BASE, broken=("lint",))
    story = fold_story(asking(), refusal)
    assert story.refused is not None
    assert story.refused.broken == ("lint",)
