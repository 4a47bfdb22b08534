"""The six editing operations: what each does to a pipeline, and what each needs."""

from dataclasses import replace

import pytest

from shiftwork.domain.core.ids import StepId, step_id
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.guardrails import HARNESS, PERSON, restarts
from shiftwork.domain.workflow.pipeline import Pipeline, Step, StepStatus
from shiftwork.domain.workflow.workflow import Exhausted, StepKind
from shiftwork.testing.builders import after_steps, began, changed_step, fold_story, interrupted, planned, started_story
from tests.unit.domain.workflow.edits import CODING, accepted, coding_runs, rejected


def found(pipeline: Pipeline, step: StepId) -> Step:
    step_found = pipeline.find(step)
    assert step_found is not None
    return step_found


def edit(operation: Operation, target: StepId = CODING, *new: str, description: str = "", reason: str = "why") -> Edit:
    steps = tuple(NewStep(type=name, description=f"new {name}") for name in new)
    return Edit(operation=operation, reason=reason, target=target, steps=steps, description=description)


def types(pipeline: Pipeline) -> list[str]:
    return [step.plan.type for step in pipeline.steps]


def test_add_after_inserts_the_new_steps_behind_the_target_in_their_order() -> None:
    after = accepted(coding_runs().pipeline, edit(Operation.ADD_AFTER, CODING, "linting", "review"))
    assert [step.id for step in after.steps[4:7]] == [CODING, "step-011", "step-012"]
    assert types(after)[5:7] == ["linting", "review"]
    assert {step.status for step in after.steps[5:7]} == {StepStatus.PENDING}
    assert [step.plan.description for step in after.steps[5:7]] == ["new linting", "new review"]


def test_split_replaces_a_pending_step_by_others() -> None:
    after = accepted(coding_runs().pipeline, edit(Operation.SPLIT, step_id(8), "review", "review"))
    assert len(after.steps) == 11
    assert after.find(step_id(8)) is None
    assert types(after)[7:9] == ["review", "review"]


def test_skip_keeps_the_step_and_says_why() -> None:
    after = accepted(coding_runs().pipeline, edit(Operation.SKIP, step_id(9), reason="two tests only"))
    step = found(after, step_id(9))
    assert (step.status, step.skip_reason) == (StepStatus.SKIPPED, "two tests only")
    assert len(after.steps) == 10


def test_reorder_moves_pending_steps_among_their_places() -> None:
    order = tuple(step_id(number) for number in (9, 8, 7, 6, 10))
    after = accepted(coding_runs().pipeline, Edit(operation=Operation.REORDER, reason="tests first", order=order))
    assert tuple(step.id for step in after.steps[5:]) == order
    assert after.steps[:5] == coding_runs().pipeline.steps[:5]


def test_a_persons_order_outlives_the_interruption_of_the_step_that_ran() -> None:
    running = coding_runs()
    order = tuple(step_id(number) for number in (9, 8, 7, 6, 10))
    request = Edit(operation=Operation.REORDER, reason="tests first", order=order)
    cut_off = fold_story(running, interrupted(running)).pipeline
    assert tuple(step.id for step in accepted(cut_off, request, by=PERSON).steps[4:]) == (CODING, *order)
    assert f"exactly once: {CODING}" in rejected(cut_off, request, by=HARNESS)


def test_edit_description_changes_that_and_nothing_else() -> None:
    before = coding_runs().pipeline
    after = accepted(before, edit(Operation.EDIT_DESCRIPTION, step_id(7), description="and the rollback"))
    assert found(after, step_id(7)) == changed_step(found(before, step_id(7)), description="and the rollback")
    assert [step for step in after.steps if step.id != step_id(7)] == [
        step for step in before.steps if step.id != step_id(7)
    ]


def test_restart_puts_the_running_step_back_with_a_new_description() -> None:
    request = edit(Operation.RESTART, description="the model, not the serializer", reason="wrong path")
    step = found(accepted(coding_runs().pipeline, request), CODING)
    assert (step.status, step.restarts, step.attempts) == (StepStatus.PENDING, 1, 1)
    assert step.plan.description == "the model, not the serializer"
    assert "wrong path" in step.feedback


def test_later_operations_see_what_earlier_ones_have_done() -> None:
    added = edit(Operation.ADD_AFTER, CODING, "coding")
    after = accepted(coding_runs().pipeline, added, edit(Operation.SKIP, StepId("step-011")))
    assert found(after, StepId("step-011")).status is StepStatus.SKIPPED


@pytest.mark.parametrize("operation", list(Operation))
@pytest.mark.parametrize("reason", ["", "  \n"])
def test_every_operation_needs_a_reason(operation: Operation, reason: str) -> None:
    request = edit(operation, step_id(7), "coding", description="said", reason=reason)
    assert "a reason is required" in rejected(coding_runs().pipeline, request)


@pytest.mark.parametrize("operation", sorted(set(Operation) - {Operation.REORDER}))
def test_every_operation_but_reorder_needs_a_step_that_exists(operation: Operation) -> None:
    request = edit(operation, StepId("step-099"), "coding", description="said")
    assert "this story has no step step-099" in rejected(coding_runs().pipeline, request)
    assert "(none named)" in rejected(coding_runs().pipeline, replace(request, target=StepId("")))


@pytest.mark.parametrize("operation", [Operation.ADD_AFTER, Operation.SPLIT])
def test_adding_needs_new_steps_of_a_known_type_that_are_described(operation: Operation) -> None:
    bare = edit(operation, step_id(7))
    assert "at least one new step" in rejected(coding_runs().pipeline, bare)
    unknown = replace(bare, steps=(NewStep(type="dancing", description="why not"),))
    assert "no step type 'dancing'" in rejected(coding_runs().pipeline, unknown)
    silent = replace(bare, steps=(NewStep(type="coding", description=" "),))
    assert "needs a description" in rejected(coding_runs().pipeline, silent)
    harness = replace(bare, steps=(NewStep(type="rebase_resolve", description="mine"),))
    assert "added only by Shiftwork" in rejected(coding_runs().pipeline, harness)


@pytest.mark.parametrize(
    ("operation", "target"), [(Operation.EDIT_DESCRIPTION, step_id(7)), (Operation.RESTART, CODING)]
)
def test_a_new_description_must_say_something(operation: Operation, target: StepId) -> None:
    assert "new_description is required" in rejected(coding_runs().pipeline, edit(operation, target, description=" "))


def test_a_request_without_operations_is_refused() -> None:
    assert rejected(coding_runs().pipeline) == "the request has no operation"


def test_a_refusal_names_the_operation_at_fault() -> None:
    fine = edit(Operation.SKIP, step_id(9))
    assert rejected(coding_runs().pipeline, fine, fine).startswith("operation 2 (skip): ")


def test_only_some_types_of_steps_may_edit() -> None:
    story = started_story()
    gathering = fold_story(story, began(story)).pipeline
    assert "context_gathering step may not edit" in rejected(gathering, edit(Operation.SKIP, step_id(9)), by=step_id(1))


def test_a_step_of_the_workflows_own_type_may_be_added_and_is_like_its_twin() -> None:
    own = planned("migrate", StepKind.GATE, description="Migrate", minutes=3, max_retries=4, exhausted=Exhausted.ASK)
    story = started_story("coding", own, "final_review")
    pipeline = fold_story(story, began(story)).pipeline
    added = accepted(pipeline, edit(Operation.ADD_AFTER, step_id(2), "migrate"), by=step_id(1)).steps[2]
    assert (added.plan.type, added.plan.kind, added.plan.minutes, added.plan.max_retries) == (
        "migrate",
        StepKind.GATE,
        3,
        4,
    )


def test_a_step_of_the_catalogue_comes_with_the_catalogues_time() -> None:
    story = started_story("coding", "final_review")
    pipeline = fold_story(story, began(story)).pipeline
    added = accepted(pipeline, edit(Operation.ADD_AFTER, step_id(1), "linting"), by=step_id(1)).steps[1]
    assert (added.plan.kind, added.plan.minutes, added.plan.max_retries) == (StepKind.AGENT, 5, 1)


def test_restarts_finds_requests_that_restart() -> None:
    assert restarts((edit(Operation.SKIP), edit(Operation.RESTART)))
    assert not restarts((edit(Operation.SKIP),))


# The last step ---------------------------------------------------------------------------------------------------


def review_runs() -> Pipeline:
    story = after_steps(started_story("coding", "final_review"), 1)
    return fold_story(story, began(story)).pipeline


def test_final_review_that_adds_work_before_itself_runs_again_after_it() -> None:
    after = accepted(review_runs(), edit(Operation.ADD_AFTER, step_id(1), "coding"), by=step_id(2))
    assert types(after) == ["coding", "coding", "final_review"]
    assert after.steps[2].status is StepStatus.PENDING
    assert after.current == after.steps[1]


def test_final_review_that_adds_nothing_stays_where_it_is() -> None:
    added_and_skipped = (edit(Operation.ADD_AFTER, step_id(1), "coding"), edit(Operation.SKIP, step_id(3)))
    after = accepted(review_runs(), *added_and_skipped, by=step_id(2))
    assert after.steps[2].status is StepStatus.IN_PROGRESS


def test_work_that_a_person_adds_before_a_completed_final_review_is_reviewed() -> None:
    story = after_steps(started_story("coding", "final_review"), 2)
    after = accepted(story.pipeline, edit(Operation.ADD_AFTER, step_id(1), "coding"), by=PERSON)
    assert [step.status for step in after.steps] == [StepStatus.COMPLETED, StepStatus.PENDING, StepStatus.PENDING]


# What a request must not do to the step that makes it --------------------------------------------------------------


@pytest.mark.parametrize("operation", [Operation.SKIP, Operation.SPLIT, Operation.EDIT_DESCRIPTION])
def test_a_step_that_restarts_itself_cannot_change_itself_as_well(operation: Operation) -> None:
    """Else the step would be gone when its attempt's usage is reported, and the usage would not be counted."""
    restart = edit(Operation.RESTART, description="again")
    assert "is running" in rejected(
        coding_runs().pipeline, restart, edit(operation, CODING, "coding", description="other")
    )


def test_a_step_that_has_been_attempted_cannot_be_split() -> None:
    """Else two steps that restart themselves and split each other would continue forever: new steps, new counters."""
    restart = edit(Operation.RESTART, description="again")
    order = tuple(step_id(number) for number in (6, 5, 7, 8, 9, 10))
    restarted = accepted(coding_runs().pipeline, restart)
    put_back = accepted(restarted, Edit(operation=Operation.REORDER, reason="lint first", order=order), by=PERSON)
    split = edit(Operation.SPLIT, CODING, "coding")
    assert "has been attempted" in rejected(put_back, split, by=PERSON)
