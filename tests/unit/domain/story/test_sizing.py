"""The size of a story decides its steps: a decision may add steps of the catalogue after the deciding step."""

from dataclasses import replace

import pytest

from shiftwork.app.runtime.context import Sighting
from shiftwork.app.views.live.board import Board
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, Stream, step_id
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.recovery.plateau import unchanged_step
from shiftwork.domain.story.routing import MAX_REVIEWS, Undecided, decision_of, must_change
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.guardrails import HARNESS, MAX_STEPS, outline
from shiftwork.domain.workflow.workflow import AUTO, Route
from shiftwork.testing.builders import (
    BASE,
    after_steps,
    assignment,
    began,
    changed_step,
    done,
    fold_story,
    next_effect,
    planned,
    started_story,
)

SIZING, LAST = map(step_id, (1, 2))
CHANGED = Commit("changed")
LARGE = ["planning", "architecture", "test_architecture", "coding", "initial_testing", "review", "prune_tests"]


def sized(size: str, story: StoryState | None = None, commit: Commit = CHANGED) -> StoryState:
    """The story once its first step has decided its size; what follows is still to be recorded."""
    running = story or started_story(*AUTO.story_steps)
    running = fold_story(running, began(running))
    return fold_story(running, done(running, outputs=(("size", size),), decision=size, commit=commit))


def followed(story: StoryState) -> StoryState:
    effect = next_effect(story)
    assert isinstance(effect, e.Conclude)
    return fold_story(story, *effect.facts)


def types(story: StoryState) -> list[str]:
    return [step.plan.type for step in story.pipeline.steps]


@pytest.mark.parametrize(
    ("size", "between"),
    [("small", []), ("medium", ["planning", "test_architecture", "coding", "review"]), ("large", LARGE)],
)
def test_the_size_decides_which_steps_follow(size: str, between: list[str]) -> None:
    assert types(followed(sized(size))) == ["coding", *between, "final_review"]


def test_the_added_steps_are_recorded_as_an_edit_of_the_harness() -> None:
    story = sized("medium")
    effect = next_effect(story)
    assert isinstance(effect, e.Conclude)
    edited, routed = effect.facts
    assert isinstance(edited, story_facts.WorkflowEdited)
    assert isinstance(routed, story_facts.StepRouted)
    assert (edited.by, edited.edits[0].reason) == (HARNESS, "step-001 sizing decided 'medium'")
    assert (edited.before, edited.after) == (outline(story.pipeline), outline(fold_story(story, edited).pipeline))


def test_a_small_story_is_routed_without_an_edit() -> None:
    effect = next_effect(sized("small"))
    assert isinstance(effect, e.Conclude)
    assert [type(fact) for fact in effect.facts] == [story_facts.StepRouted]


def test_steps_that_are_still_to_come_are_not_added_again() -> None:
    extra = (*AUTO.story_steps[:1], planned("review"), *AUTO.story_steps[1:])
    story = followed(sized("medium", started_story(*extra)))
    assert types(story) == ["coding", "planning", "test_architecture", "coding", "review", "final_review"]


def test_a_pipeline_without_room_records_why_nothing_was_added() -> None:
    full = (AUTO.story_steps[0], *(planned(f"own-{number}") for number in range(MAX_STEPS - 1)))
    story = sized("large", started_story(*full))
    effect = next_effect(story)
    assert isinstance(effect, e.Conclude)
    rejected, _ = effect.facts
    assert isinstance(rejected, story_facts.WorkflowEditRejected)
    assert (rejected.by, f"at most {MAX_STEPS} are allowed" in rejected.reason) == (HARNESS, True)
    assert len(followed(story).pipeline.steps) == MAX_STEPS


def test_an_answer_without_a_size_means_a_small_story() -> None:
    step = started_story(*AUTO.story_steps).pipeline.steps[0]
    assert decision_of(step, ()) == "small"
    assert decision_of(step, (("size", "**Large**"),)) == "large"
    assert isinstance(decision_of(step, (("size", "huge"),)), Undecided)
    assert isinstance(decision_of(changed_step(step, default=""), ()), Undecided)


def test_only_the_session_that_does_the_story_must_change_files() -> None:
    step = started_story(*AUTO.story_steps).pipeline.steps[0]
    assert [must_change(step, size) for size in ("small", "medium", "large", "")] == [True, False, False, True]
    assert not must_change(replace(step, plan=replace(step.plan, type="planning")), "small")


@pytest.mark.parametrize(("size", "expected"), [("small", SIZING), ("medium", None)])
def test_a_small_story_without_a_change_is_noticed(size: str, expected: object) -> None:
    story = followed(sized(size, commit=BASE))
    unchanged = unchanged_step(story)
    assert (unchanged and unchanged.id) == expected


def test_a_route_may_add_steps_in_any_workflow() -> None:
    deciding = planned("own", decision_key="ui", routes=(Route(value="yes", adds=("review",)), Route(value="no")))
    story = started_story(deciding, "final_review")
    assert types(followed(sized("yes", story))) == ["own", "review", "final_review"]


def reviewed(story: StoryState, verdict: str = "ISSUES: no test") -> StoryState:
    """The story once its last step has found a fault."""
    running = fold_story(story, began(story))
    return fold_story(running, done(running, decision="retry", verdict=verdict))


def test_a_fault_that_the_last_review_finds_is_repaired_and_reviewed_again() -> None:
    story = followed(reviewed(followed(sized("small"))))
    assert types(story) == ["coding", "coding", "final_review"]
    repair = story.pipeline.current
    assert repair
    assert repair.plan.description == "Fix what final_review found:\nISSUES: no test"
    again = fold_story(fold_story(story, began(story)), done(fold_story(story, began(story))))
    assert again.pipeline.current
    assert again.pipeline.current.plan.type == "final_review"


def test_a_review_that_finds_faults_again_and_again_ends_the_story() -> None:
    story = followed(sized("small"))
    for _ in range(MAX_REVIEWS - 1):
        story = followed(reviewed(story))
        story = fold_story(story, began(story))
        story = fold_story(story, done(story))
    ended = next_effect(reviewed(story, "ISSUES: still no test"))
    assert isinstance(ended, e.Conclude)
    (failed,) = ended.facts
    assert isinstance(failed, story_facts.StoryFailed)
    assert failed.reason.endswith("final_review decided 'retry': ISSUES: still no test")


def test_a_fault_is_not_landed_where_no_step_can_be_added() -> None:
    full = (*(planned(f"own-{number}") for number in range(MAX_STEPS - 1)), AUTO.story_steps[1])
    story = after_steps(started_story(*full), MAX_STEPS - 1)
    ended = next_effect(reviewed(story))
    assert isinstance(ended, e.Conclude)
    assert isinstance(ended.facts[0], story_facts.StoryFailed)


@pytest.mark.parametrize(
    ("outputs", "remark"), [((("size", "medium"),), ""), ((), " (the answer does not say)")], ids=["stated", "assumed"]
)
def test_the_board_says_the_size_and_the_number_of_sessions(outputs: tuple[tuple[str, str], ...], remark: str) -> None:
    board = Board()
    started = story_facts.StoryStarted(at=1, assignment=assignment(), steps=AUTO.story_steps)
    begun = fold_story(StoryState(), started)
    running = fold_story(begun, began(begun))
    effect = next_effect(sized("medium"))
    assert isinstance(effect, e.Conclude)
    facts: tuple[Fact, ...] = (started, began(begun), done(running, outputs=outputs, decision="medium"), *effect.facts)
    for fact in facts:
        board.see(Sighting(stream=Stream("story/r1/US-001"), what=fact))
    assert (board.changes[-1].event, board.changes[-1].text) == ("step_routed", f"medium{remark}, 6 sessions")


def test_the_end_of_another_attempt_changes_nothing() -> None:
    started = started_story(*AUTO.story_steps)
    story = fold_story(started, began(started))
    assert fold_story(story, replace(done(story), attempt=7)) == story
