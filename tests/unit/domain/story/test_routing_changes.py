"""The effect of edits, people and retries on a pipeline with routes."""

from dataclasses import replace

from shiftwork.domain.core.ids import step_id
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState, StoryStatus
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.guardrails import PERSON, Rejected, apply_edits
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.domain.workflow.workflow import Route, StepKind
from shiftwork.testing.builders import (
    after_steps,
    assignment,
    began,
    concluded,
    conclusion,
    done,
    fold_story,
    given_back,
    planned,
)
from shiftwork.testing.builders import started_story as started
from tests.unit.domain.workflow.compound import (
    BRAINSTORM,
    COMPOUND,
    PLAN,
    REVIEW,
    WORK,
    compound,
    reviewed,
    statuses,
    step,
)

# Edits ----------------------------------------------------------------------------------------------------------------


def edited(story: StoryState, *edits: Edit) -> StoryState:
    fact = story_facts.WorkflowEdited(at=0, by=PERSON, edits=edits, before=(), after=())
    assert not isinstance(apply_edits(story.pipeline, PERSON, edits), Rejected)
    return fold_story(story, fact)


def refused(*edits: Edit) -> str:
    found = apply_edits(started(*compound()).pipeline, PERSON, edits)
    assert isinstance(found, Rejected)
    return found.reason


def test_a_route_leads_to_the_first_of_the_steps_that_replace_its_target() -> None:
    new = NewStep(type="coding", description="half of it")
    split = Edit(operation=Operation.SPLIT, reason="too large", target=WORK, steps=(new, new))
    story = edited(started(*compound()), split)
    story = after_steps(story, 4)
    story = fold_story(story, began(story))
    story = concluded(fold_story(story, done(story, decision="needs_fixes")))
    assert [step.id for step in story.pipeline.steps if step.status is StepStatus.PENDING] == [
        step_id(6),
        step_id(7),
        REVIEW,
        COMPOUND,
    ]


def test_what_decides_is_neither_split_nor_skipped() -> None:
    new = NewStep(type="review", description="look")
    assert "decides where the story goes next" in refused(
        Edit(operation=Operation.SPLIT, reason="r", target=REVIEW, steps=(new,))
    )
    assert "mandatory" in refused(Edit(operation=Operation.SKIP, reason="r", target=REVIEW))


def test_a_target_is_not_moved_to_the_other_side_of_what_leads_to_it() -> None:
    order = (BRAINSTORM, PLAN, REVIEW, WORK, COMPOUND)
    assert "step-003 must stay before step-004" in refused(Edit(operation=Operation.REORDER, reason="r", order=order))
    order = (BRAINSTORM, PLAN, WORK, COMPOUND, REVIEW)
    assert "step-005 must stay after step-004" in refused(Edit(operation=Operation.REORDER, reason="r", order=order))
    order = (PLAN, BRAINSTORM, WORK, REVIEW, COMPOUND)
    story = edited(started(*compound()), Edit(operation=Operation.REORDER, reason="r", order=order))
    assert [step.id for step in story.pipeline.steps] == list(order)


def test_a_route_on_to_a_skipped_step_leads_to_the_next_after_it() -> None:
    skip = Edit(operation=Operation.SKIP, reason="r", target=COMPOUND)
    story = edited(after_steps(started(*compound(), planned("end")), 3), skip)
    story = concluded(reviewed("approved", story))
    assert statuses(story) == ["completed"] * 4 + ["skipped", "pending"]


def test_a_route_back_to_a_skipped_step_runs_it_after_all() -> None:
    skip = Edit(operation=Operation.SKIP, reason="r", target=WORK)
    story = after_steps(edited(started(*compound()), skip), 2)
    story = concluded(reviewed("needs_fixes", story))
    assert statuses(story) == ["completed", "completed", "pending", "pending", "pending"]
    assert step(story, WORK).skip_reason == ""


def test_a_step_added_between_runs_again_with_what_it_stands_between() -> None:
    new = NewStep(type="linting", description="tidy up")
    add = Edit(operation=Operation.ADD_AFTER, reason="r", target=WORK, steps=(new,))
    story = after_steps(edited(started(*compound()), add), 4)
    story = fold_story(story, began(story))
    story = concluded(fold_story(story, done(story, decision="needs_fixes")))
    assert statuses(story) == ["completed", "completed", "pending", "pending", "pending", "pending"]


def test_a_step_of_a_type_of_the_workflows_own_is_added_with_its_prompt() -> None:
    own = planned("tidy", input="Tidy {{task}}", expects="STATUS: done", agent="maid", output_keys=("tidied",))
    new = NewStep(type="tidy", description="the attic too")
    story = edited(started(own), Edit(operation=Operation.ADD_AFTER, reason="r", target=step_id(1), steps=(new,)))
    added = step(story, step_id(2))
    assert (added.plan.input, added.plan.expects, added.plan.agent, added.plan.output_keys) == (
        "Tidy {{task}}",
        "STATUS: done",
        "maid",
        ("tidied",),
    )


# Gates and people -----------------------------------------------------------------------------------------------------


def with_approval(*routes: Route) -> StoryState:
    approval = planned("approve", StepKind.APPROVAL, description="May it land?", routes=routes)
    story = given_back(after_steps(started(planned("work"), approval), 1))
    story = concluded(concluded(story))
    return replace(story, waiting=replace(story.waiting, reported=True))


def outcome_of(story: StoryState, *, granted: bool, answer: str = "") -> StoryState:
    released = fold_story(story, story_facts.StoryReleased(at=9, granted=granted, answer=answer))
    return replace(released, waiting=replace(released.waiting, reported=False))


def test_a_refused_approval_takes_the_route_for_rejected() -> None:
    story = outcome_of(
        with_approval(Route(value="rejected", target="work", back=True)), granted=False, answer="too slow"
    )
    assert statuses(story) == ["completed", "completed"]
    story = concluded(story)
    assert statuses(story) == ["pending", "pending"]
    assert step(story, step_id(1)).feedback == "too slow"


def test_a_refused_approval_without_a_route_fails_the_step_and_its_exhausted_rule_applies() -> None:
    story = concluded(outcome_of(with_approval(), granted=False, answer="no"))
    assert story.status is StoryStatus.FAILED
    assert "no" in story.outcome.reason


def test_an_approval_continues_in_order_or_where_approved_leads() -> None:
    assert statuses(outcome_of(with_approval(), granted=True)) == ["completed", "completed"]
    story = outcome_of(with_approval(Route(value="Approved")), granted=True)
    assert isinstance(conclusion(story), story_facts.StepRouted)


# Retry ----------------------------------------------------------------------------------------------------------------


def reopening(*, from_scratch: bool) -> story_facts.StoryReopened:
    return story_facts.StoryReopened(
        at=50, assignment=assignment(), steps=compound(), from_scratch=from_scratch, cursor=0
    )


def test_a_story_that_failed_by_a_spent_route_follows_it_once_more_when_it_is_retried() -> None:
    failed_story = concluded(reviewed("needs_fixes", max_retries=0))
    assert failed_story.status is StoryStatus.FAILED
    story = concluded(fold_story(failed_story, reopening(from_scratch=False)))
    assert statuses(story)[2:] == ["pending"] * 3


def test_a_story_that_is_begun_from_scratch_has_its_answers_and_the_context_of_its_workflow() -> None:
    answered = replace(
        made := reviewed("needs_fixes", max_retries=0), dialogue=replace(made.dialogue, answers=(("q", "a"),))
    )
    fresh = replace(reopening(from_scratch=True), assignment=replace(assignment(), context=(("style", "terse"),)))
    story = fold_story(concluded(answered), fresh)
    assert (story.dialogue.answers, story.dialogue.context, story.routing) == ((("q", "a"),), (("style", "terse"),), "")
