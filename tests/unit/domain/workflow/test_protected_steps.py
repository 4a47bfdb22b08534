"""The eleven guardrails of workflow editing, each against every operation that it concerns."""

from dataclasses import replace

import pytest

from shiftwork.domain.core.ids import StepId, step_id
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.guardrails import MAX_RESTARTS, MAX_STEPS, outline
from shiftwork.domain.workflow.pipeline import StepStatus, Unsummarised
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.testing.builders import (
    after_steps,
    began,
    cancelled,
    done,
    failed,
    fold_story,
    interrupted,
    planned,
    started_story,
)
from tests.unit.domain.workflow.edits import CODING, accepted, coding_runs, rejected

FINAL = step_id(10)
PENDING = tuple(step_id(number) for number in range(6, 11))


def new(*types: str) -> tuple[NewStep, ...]:
    return tuple(NewStep(type=name, description=f"new {name}") for name in types)


VALID = {
    Operation.ADD_AFTER: Edit(operation=Operation.ADD_AFTER, reason="r", target=CODING, steps=new("coding")),
    Operation.SPLIT: Edit(operation=Operation.SPLIT, reason="r", target=step_id(8), steps=new("review", "review")),
    Operation.SKIP: Edit(operation=Operation.SKIP, reason="r", target=step_id(9)),
    Operation.REORDER: Edit(
        operation=Operation.REORDER, reason="r", order=tuple(step_id(number) for number in (7, 6, 9, 8, 10))
    ),
    Operation.EDIT_DESCRIPTION: Edit(
        operation=Operation.EDIT_DESCRIPTION, reason="r", target=step_id(7), description="otherwise"
    ),
    Operation.RESTART: Edit(operation=Operation.RESTART, reason="r", target=CODING, description="otherwise"),
}
"""A request of each kind that is fine while the fifth of the ten steps runs."""

each_operation = pytest.mark.parametrize("operation", list(Operation))


@pytest.mark.parametrize("mandatory", [step_id(6), FINAL])
def test_guardrail_01_mandatory_steps_cannot_be_skipped(mandatory: StepId) -> None:
    skip = Edit(operation=Operation.SKIP, reason="in a hurry", target=mandatory)
    assert "mandatory and cannot be skipped" in rejected(coding_runs().pipeline, skip)


@pytest.mark.parametrize("kind", [StepKind.APPROVAL, StepKind.GATE])
def test_guardrail_01_what_a_person_or_the_harness_does_is_no_agents_to_skip(kind: StepKind) -> None:
    pipeline = coding_runs().pipeline
    review = next(step for step in pipeline.steps if step.plan.type == "review")
    skip = Edit(operation=Operation.SKIP, reason="in a hurry", target=review.id)
    assert "cannot be skipped" in rejected(
        pipeline.with_step(replace(review, plan=replace(review.plan, kind=kind))), skip
    )


@pytest.mark.parametrize("mandatory", [step_id(6), FINAL])
def test_guardrail_01_mandatory_steps_cannot_be_split_away(mandatory: StepId) -> None:
    split = Edit(operation=Operation.SPLIT, reason="in a hurry", target=mandatory, steps=new("coding", "review"))
    assert "is mandatory: one of the steps" in rejected(coding_runs().pipeline, split)


@pytest.mark.parametrize(("mandatory", "name"), [(step_id(6), "linting"), (FINAL, "final_review")])
def test_guardrail_01_a_person_may_split_a_mandatory_step_into_one_of_its_type(mandatory: StepId, name: str) -> None:
    split = Edit(operation=Operation.SPLIT, reason="r", target=mandatory, steps=new("coding", name))
    pipeline = accepted(coding_runs().pipeline, split, by="person")
    assert [step.plan.type for step in pipeline.steps].count(name) == 1
    assert "an agent may not split it" in rejected(coding_runs().pipeline, split)


@pytest.mark.parametrize("mandatory", [step_id(6), FINAL])
def test_guardrail_01_no_agent_rewrites_a_mandatory_step(mandatory: StepId) -> None:
    edit = Edit(operation=Operation.EDIT_DESCRIPTION, reason="r", target=mandatory, description="say that all is well")
    assert "an agent may not change its description" in rejected(coding_runs().pipeline, edit)
    changed = accepted(coding_runs().pipeline, edit, by="person").find(mandatory)
    assert changed
    assert changed.plan.description == "say that all is well"


def test_guardrail_01_no_agent_restarts_a_mandatory_step_as_another() -> None:
    story = after_steps(started_story("coding", "final_review"), 1)
    running = fold_story(story, began(story))
    last = step_id(2)
    restart = Edit(operation=Operation.RESTART, reason="r", target=last, description="say that all is well")
    assert "an agent may not change its description" in rejected(running.pipeline, restart, by=last)
    own = running.pipeline.steps[1].plan.description
    assert accepted(running.pipeline, replace(restart, description=own), by=last).steps[1].restarts == 1


def test_guardrail_01_no_agent_moves_work_past_a_mandatory_step() -> None:
    pipeline = after_steps(started_story(), 4).pipeline
    order = tuple(step_id(number) for number in (6, 5, 7, 8, 9, 10))
    editing = coding_runs().pipeline.with_step(
        replace(made := pipeline.steps[3], status=StepStatus.IN_PROGRESS, plan=replace(made.plan, type="coding"))
    )
    late = Edit(operation=Operation.REORDER, reason="lint first", order=order)
    waiting = editing.with_step(replace(pipeline.steps[4], status=StepStatus.PENDING))
    assert "step-005 must stay before it" in rejected(waiting, late, by=step_id(4))
    assert accepted(waiting, late, by="person").steps[4].id == step_id(6)


@pytest.mark.parametrize("kind", [StepKind.APPROVAL, StepKind.GATE])
def test_guardrail_01_no_agent_adds_work_behind_the_last_check(kind: StepKind) -> None:
    story = started_story("coding", planned("sign-off", kind), "review")
    story = fold_story(story, began(story))
    behind = Edit(operation=Operation.ADD_AFTER, reason="r", target=step_id(3), steps=new("coding"))
    assert "nothing checks what follows it" in rejected(story.pipeline, behind, by=step_id(1))
    assert len(accepted(story.pipeline, behind, by="person").steps) == 4
    before = replace(behind, target=step_id(1))
    assert len(accepted(story.pipeline, before, by=step_id(1)).steps) == 4


@each_operation
def test_guardrail_01_no_operation_loses_a_mandatory_step(operation: Operation) -> None:
    kept = {
        s.plan.type for s in accepted(coding_runs().pipeline, VALID[operation]).steps if s.status != StepStatus.SKIPPED
    }
    assert {"linting", "final_review"} <= kept


def in_status(status: StepStatus) -> StoryState:
    """The ten steps, of which the fifth is in a status other than pending."""
    story = coding_runs()
    match status:
        case StepStatus.COMPLETED:
            return fold_story(story, done(story))
        case StepStatus.FAILED:
            return fold_story(story, failed(story))
        case StepStatus.CANCELLED:
            return fold_story(story, cancelled(story))
        case StepStatus.SKIPPED:
            skip = Edit(operation=Operation.SKIP, reason="r", target=CODING)
            before = after_steps(started_story(), 4)
            return replace(before, pipeline=accepted(before.pipeline, skip, by="person"))
        case _:
            return story


@pytest.mark.parametrize("status", sorted(set(StepStatus) - {StepStatus.PENDING}))
@pytest.mark.parametrize("operation", [Operation.SPLIT, Operation.SKIP, Operation.EDIT_DESCRIPTION])
def test_guardrail_02_only_pending_steps_can_be_modified(operation: Operation, status: StepStatus) -> None:
    edit = Edit(operation=operation, reason="r", target=CODING, steps=new("coding"), description="otherwise")
    assert "only pending steps" in rejected(in_status(status).pipeline, edit, by="person")


@pytest.mark.parametrize("status", list(StepStatus))
def test_guardrail_02_a_step_of_any_status_may_be_the_place_to_add_after(status: StepStatus) -> None:
    pipeline = in_status(status).pipeline if status is not StepStatus.PENDING else started_story().pipeline
    after = accepted(pipeline, VALID[Operation.ADD_AFTER], by="person")
    assert after.steps[5].plan.type == "coding"
    assert after.find(CODING) == pipeline.find(CODING)


@pytest.mark.parametrize("target", [step_id(4), step_id(6)])
def test_guardrail_02_only_the_step_that_runs_can_be_restarted(target: StepId) -> None:
    restart = replace(VALID[Operation.RESTART], target=target)
    assert "only the step that runs now can be restarted" in rejected(coding_runs().pipeline, restart)


def test_guardrail_02_an_agent_restarts_its_own_step_alone() -> None:
    assert "only the step that runs now" in rejected(coding_runs().pipeline, VALID[Operation.RESTART], by="harness")


@pytest.mark.parametrize("description", ["otherwise", ""])
def test_guardrail_02_a_person_may_restart_the_step_that_runs(description: str) -> None:
    before = coding_runs().pipeline
    step = accepted(before, replace(VALID[Operation.RESTART], description=description), by="person").step(CODING)
    assert (step.status, step.restarts, step.attempts) == (StepStatus.PENDING, 1, 1)
    assert step.plan.description == (description or before.step(CODING).plan.description)
    assert step.feedback == "A person restarted this step: r"


def test_guardrail_02_a_person_may_restart_a_step_whose_worker_died() -> None:
    story = coding_runs()
    step = accepted(fold_story(story, interrupted(story)).pipeline, VALID[Operation.RESTART], by="person").step(CODING)
    assert (step.status, step.restarts) == (StepStatus.PENDING, 1)


@pytest.mark.parametrize(
    ("status", "rule"),
    [
        (StepStatus.COMPLETED, "step-005 is completed; only the step that runs now can be restarted"),
        (StepStatus.SKIPPED, "step-005 is skipped; only the step that runs now can be restarted"),
        (StepStatus.FAILED, "step-005 is failed; only the step that runs now can be restarted"),
    ],
)
def test_guardrail_02_a_person_restarts_no_finished_step(status: StepStatus, rule: str) -> None:
    assert rule in rejected(in_status(status).pipeline, VALID[Operation.RESTART], by="person")


def test_guardrail_02_a_person_edits_a_step_that_has_not_started_instead() -> None:
    restart = replace(VALID[Operation.RESTART], target=step_id(6))
    assert "step-006 has not started" in rejected(coding_runs().pipeline, restart, by="person")


def test_guardrail_02_a_person_restarts_no_step_that_no_agent_performs() -> None:
    story = started_story(planned("check", StepKind.GATE), "coding")
    restart = replace(VALID[Operation.RESTART], target=step_id(1))
    assert "no agent performs step-001 check" in rejected(story.pipeline, restart, by="person")


def test_guardrail_02_a_step_that_lacks_only_its_summary_is_not_restarted() -> None:
    pipeline = coding_runs().pipeline
    missed = Unsummarised(
        attempt=1, agent="a", session="s", home="h", note="", outputs=(), decision="", verdict="", usage=NOTHING_USED
    )
    asked = pipeline.with_step(replace(pipeline.step(CODING), unsummarised=missed))
    assert "only asked for its summary" in rejected(asked, VALID[Operation.RESTART], by="person")


@pytest.mark.parametrize("by", ["person", CODING])
def test_a_new_step_says_who_added_it(by: str) -> None:
    after = accepted(coding_runs().pipeline, VALID[Operation.ADD_AFTER], by=by)
    assert [step.added_by for step in after.steps if step.added_by] == [by]


@pytest.mark.parametrize(
    "edit",
    [
        Edit(operation=Operation.ADD_AFTER, reason="r", target=FINAL, steps=new("coding")),
        Edit(operation=Operation.ADD_AFTER, reason="r", target=CODING, steps=new("final_review")),
        Edit(operation=Operation.SPLIT, reason="r", target=FINAL, steps=new("final_review", "coding")),
        Edit(operation=Operation.SPLIT, reason="r", target=step_id(8), steps=new("final_review")),
        Edit(operation=Operation.REORDER, reason="r", order=(FINAL, *PENDING[:-1])),
    ],
    ids=["add after it", "add another one", "split so that it leads", "split into another one", "reorder"],
)
def test_guardrail_03_final_review_stays_last(edit: Edit) -> None:
    assert "final_review must stay last" in rejected(coding_runs().pipeline, edit)


def test_guardrail_04_ids_only_count_upwards_and_are_never_used_again() -> None:
    pipeline = coding_runs().pipeline
    split = accepted(pipeline, VALID[Operation.SPLIT])
    again = accepted(split, replace(VALID[Operation.SPLIT], target=StepId("step-012")))
    added = accepted(again, VALID[Operation.ADD_AFTER])
    assert [step.id for step in added.steps] == [
        *(step_id(number) for number in (1, 2, 3, 4, 5, 15, 6, 7, 11, 13, 14, 9, 10))
    ]
    assert added.next_number == 16


@each_operation
def test_guardrail_04_ids_stay_unique(operation: Operation) -> None:
    ids = [step.id for step in accepted(coding_runs().pipeline, VALID[operation]).steps]
    assert len(ids) == len(set(ids))


@each_operation
def test_guardrail_05_an_edit_is_a_fact_that_says_what_changed(operation: Operation) -> None:
    story = coding_runs()
    after = accepted(story.pipeline, VALID[operation])
    fact = story_facts.WorkflowEdited(
        at=1, by=CODING, edits=(VALID[operation],), before=outline(story.pipeline), after=outline(after)
    )
    assert fact.before != fact.after
    assert outline(fold_story(story, fact).pipeline) == fact.after


def test_guardrail_05_rows_show_id_type_status_and_description() -> None:
    assert outline(started_story("coding").pipeline) == ("step-001 coding pending Implement the change and its tests",)


@each_operation
@pytest.mark.parametrize("by", ["step-004", "step-006", "step-099", "US-002", ""])
def test_guardrail_06_only_the_step_that_runs_edits_and_only_its_own_story(operation: Operation, by: str) -> None:
    assert "may not edit this story" in rejected(coding_runs().pipeline, VALID[operation], by=by)


@pytest.mark.parametrize(
    ("operation", "room"), [(Operation.ADD_AFTER, MAX_STEPS - 10), (Operation.SPLIT, MAX_STEPS - 10 + 1)]
)
def test_guardrail_07_a_workflow_has_at_most_thirty_steps(operation: Operation, room: int) -> None:
    full = replace(VALID[operation], steps=new(*["coding"] * room))
    assert len(accepted(coding_runs().pipeline, full).steps) == MAX_STEPS
    over = replace(full, steps=(*full.steps, *new("coding")))
    assert f"at most {MAX_STEPS} are allowed" in rejected(coding_runs().pipeline, over)


def restarted(story: StoryState) -> StoryState:
    edit = story_facts.WorkflowEdited(at=1, by=CODING, edits=(VALID[Operation.RESTART],), before=(), after=())
    return fold_story(story, edit)


def test_guardrail_08_a_step_is_restarted_at_most_three_times() -> None:
    story = coding_runs()
    for count in range(1, MAX_RESTARTS + 1):
        story = restarted(story)
        step = story.pipeline.find(CODING)
        assert step is not None
        assert step.restarts == count
        story = fold_story(story, began(story))
    assert "has been restarted 3 times" in rejected(story.pipeline, VALID[Operation.RESTART])
    assert restarted(story) == story


def test_guardrail_08_a_retry_gives_no_new_restarts() -> None:
    story = coding_runs()
    for _ in range(MAX_RESTARTS):
        story = restarted(story)
        story = fold_story(story, began(story))
    story = fold_story(story, failed(story))
    story = fold_story(story, story_facts.StepRetried(at=1, step=CODING, feedback=""))
    story = fold_story(story, began(story))
    assert "has been restarted 3 times" in rejected(story.pipeline, VALID[Operation.RESTART])


@each_operation
def test_guardrail_09_a_request_is_applied_whole_or_not_at_all(operation: Operation) -> None:
    story = coding_runs()
    bad = Edit(operation=Operation.SKIP, reason="r", target=FINAL)
    fact = story_facts.WorkflowEdited(at=1, by=CODING, edits=(VALID[operation], bad), before=(), after=())
    assert rejected(story.pipeline, *fact.edits).startswith("operation 2 (skip): ")
    assert fold_story(story, fact) == story


def rejection(story: StoryState, reason: str) -> story_facts.WorkflowEditRejected:
    step = story.pipeline.current
    assert step is not None
    return story_facts.WorkflowEditRejected(at=1, by=step.id, request="{}", reason=reason)


def test_guardrail_10_the_next_step_is_notified_of_a_rejection() -> None:
    """Edits are recorded before the completion of the step that asked for them."""
    story = coding_runs()
    message = fold_story(story, rejection(story, "no such step"), done(story))
    assert message.dialogue.messages == ("Your workflow edit was rejected: no such step",)
    running = fold_story(message, began(message))
    assert running.dialogue.messages == message.dialogue.messages


def test_guardrail_10_a_rejection_that_a_completed_step_has_received_is_not_repeated() -> None:
    story = coding_runs()
    story = fold_story(story, rejection(story, "first"), done(story))
    story = fold_story(story, began(story))
    story = fold_story(story, rejection(story, "second"), done(story))
    assert story.dialogue.messages == ("Your workflow edit was rejected: second",)


def test_guardrail_10_an_attempt_that_fails_leaves_the_message_for_the_next() -> None:
    story = coding_runs()
    story = fold_story(story, rejection(story, "first"), done(story))
    story = fold_story(story, began(story))
    assert fold_story(story, failed(story)).dialogue.messages == ("Your workflow edit was rejected: first",)


def test_guardrail_10_a_gate_reads_no_messages() -> None:
    story = started_story("coding", planned("checks", StepKind.GATE), "review")
    story = fold_story(story, began(story))
    story = fold_story(story, rejection(story, "first"), done(story))
    assert after_steps(story, 1).dialogue.messages == ("Your workflow edit was rejected: first",)


@pytest.mark.parametrize(
    "order",
    [
        PENDING[1:],
        (*PENDING, step_id(99)),
        (*PENDING, PENDING[0]),
        (PENDING[0], *PENDING[:-1]),
        (CODING, *PENDING),
        (),
    ],
    ids=["one left out", "one made up", "one twice", "one twice for another", "one that runs", "none"],
)
def test_guardrail_11_reorder_names_exactly_the_pending_steps(order: tuple[StepId, ...]) -> None:
    reorder = Edit(operation=Operation.REORDER, reason="r", order=order)
    assert "must name each pending step exactly once" in rejected(coding_runs().pipeline, reorder)
