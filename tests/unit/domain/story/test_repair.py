"""What a story does about a refused landing: it repairs what it can, within its limits."""

from dataclasses import replace

import pytest

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import Commit, step_id
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, LandingStage, StoryState
from shiftwork.domain.workflow.guardrails import MAX_STEPS
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.testing.builders import (
    BASE,
    after_steps,
    assignment,
    concluded,
    conclusion,
    fold_story,
    landing_asked,
    next_effect,
)


def refusal(cause: Refusal, base: Commit = BASE, detail: str = "") -> story_facts.LandingRefused:
    message = detail or f"because of {cause}"
    return story_facts.LandingRefused(at=1, cause=cause, detail=message, files=("a.py",), base=base)


def refused(cause: Refusal, base: Commit = BASE, **limits: int) -> StoryState:
    story = landing_asked("coding", "final_review", limits=Limits(**limits))  # type: ignore[arg-type]  # by their names
    return fold_story(story, refusal(cause, base))


@pytest.mark.parametrize(
    ("cause", "kind"),
    [(Refusal.CONFLICT, "rebase_resolve"), (Refusal.GATES, "coding"), (Refusal.EMPTY, "coding")],
)
def test_a_refusal_adds_a_step_that_repairs_it_before_final_review_which_runs_again(cause: Refusal, kind: str) -> None:
    story = concluded(refused(cause))
    assert [step.plan.type for step in story.pipeline.steps] == ["coding", kind, "final_review"]
    repair, final = story.pipeline.steps[1:]
    assert (repair.id, repair.feedback, final.status) == (step_id(3), f"because of {cause}", StepStatus.PENDING)
    assert next_effect(story) == story_effects.RunAgent(key="step-003/1@1", step=step_id(3), attempt=1)
    assert next_effect(after_steps(story, 1)) == story_effects.RunAgent(key="step-002/2@1", step=step_id(2), attempt=2)
    again = after_steps(story, 2)
    assert next_effect(again) == story_effects.RequestLanding(key="landing/2", number=2, tip=again.work.head)


def test_what_has_landed_since_is_merged_before_the_repair() -> None:
    story = concluded(refused(Refusal.CONFLICT, base=Commit("base-2")))
    assert next_effect(story) == story_effects.MergeBase(key="merge/1@1", base=Commit("base-2"), head=story.work.head)
    story = fold_story(
        story, story_facts.BaseMerged(at=1, commit=Commit("merged"), base=Commit("base-2"), files=("a.py",))
    )
    assert (story.work.head, story.work.base) == (Commit("merged"), Commit("base-2"))
    assert isinstance(next_effect(story), story_effects.RunAgent)


def test_a_base_that_returns_to_where_it_was_is_merged_under_a_key_of_its_own() -> None:
    """A key that was used before would be answered with the old facts."""
    story = landing_asked("coding", limits=Limits(conflicts=5))
    keys = []
    for number, base in enumerate(("one", "two", "one", "two"), start=1):
        story = concluded(fold_story(story, refusal(Refusal.CONFLICT, Commit(base))))
        keys.append(next_effect(story).key)
        story = fold_story(
            story, story_facts.BaseMerged(at=1, commit=Commit(f"m{number}"), base=Commit(base), files=())
        )
        story = after_steps(story, 1)
        story = fold_story(story, story_facts.LandingRequested(at=1, number=number + 1, tip=story.work.head))
    assert len(set(keys)) == 4


@pytest.mark.parametrize(
    ("cause", "limits"),
    [
        (Refusal.CONFLICT, {"conflicts": 2, "repairs": 9}),
        (Refusal.GATES, {"conflicts": 9, "repairs": 2}),
        (Refusal.EVIDENCE, {"conflicts": 9, "repairs": 2}),
    ],
)
def test_a_story_fails_when_no_repairs_are_left(cause: Refusal, limits: dict[str, int]) -> None:
    story = landing_asked("coding", "final_review", limits=Limits(**limits))  # type: ignore[arg-type]  # by their names
    for number in (2, 3):
        other = replace(refusal(cause, detail=f"{number} of them"), files=(f"{number}.py",))
        story = after_steps(concluded(fold_story(story, other)), 2)
        story = fold_story(story, story_facts.LandingRequested(at=1, number=number, tip=story.work.head))
    ending = conclusion(fold_story(story, refusal(cause)))
    assert isinstance(ending, story_facts.StoryFailed)
    assert ending.cause is FailureCause.REFUSED
    assert ending.reason == f"not landed ({cause}) after 2 repairs: because of {cause}"


def test_what_an_agent_is_asked_to_do_is_shown_to_it_and_not_to_people() -> None:
    detail = "1 of 1 criteria lack sufficient evidence (policy strict):\n- AC-1 (It is): nothing was offered"
    feedback = f"{detail}\nFor each, call report_evidence."
    refused = replace(refusal(Refusal.EVIDENCE, detail=detail), feedback=feedback)
    repair = conclusion(fold_story(landing_asked("coding"), refused))
    assert isinstance(repair, story_facts.RepairPlanned)
    assert repair.feedback == feedback
    spent = landing_asked("coding", limits=Limits(repairs=0))
    ending = conclusion(fold_story(spent, refused))
    assert isinstance(ending, story_facts.StoryFailed)
    assert ending.reason.endswith("\n- AC-1 (It is): nothing was offered")


def test_a_story_that_has_no_step_left_cannot_be_repaired() -> None:
    story = landing_asked(*["coding"] * MAX_STEPS)
    ending = conclusion(fold_story(story, refusal(Refusal.GATES)))
    assert isinstance(ending, story_facts.StoryFailed)
    assert "the limit of 30 steps is reached" in ending.reason


def test_a_refusal_that_no_one_explained_fails_the_story() -> None:
    story = replace(
        made := landing_asked("coding"), landing=replace(made.landing, progress=LandingStage.REFUSED, refused=None)
    )
    assert isinstance(conclusion(story), story_facts.StoryFailed)


def test_a_story_without_steps_can_be_repaired() -> None:
    story = fold_story(
        StoryState(),
        story_facts.StoryStarted(at=1, assignment=assignment(), steps=()),
        story_facts.WorkspacePrepared(at=2, number=1, base=BASE, head=BASE),
        story_facts.LandingRequested(at=3, number=1, tip=BASE),
        refusal(Refusal.EMPTY),
    )
    assert [step.plan.type for step in concluded(story).pipeline.steps] == ["coding"]


def test_a_pipeline_that_ends_otherwise_is_repaired_at_its_end() -> None:
    story = concluded(fold_story(landing_asked("coding", "review"), refusal(Refusal.GATES)))
    assert [(s.plan.type, s.status) for s in story.pipeline.steps[1:]] == [
        ("review", StepStatus.COMPLETED),
        ("coding", StepStatus.PENDING),
    ]
