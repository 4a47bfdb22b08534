"""A prompt speaks of plans and of editing steps only where there are any."""

import re
from dataclasses import replace

from shiftwork.domain.core.ids import StepId, step_id
from shiftwork.domain.workflow.guardrails import Rejected, apply_edits
from shiftwork.domain.workflow.pipeline import Pipeline, Step, StepStatus, pipeline_of
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.workflow import DYNAMIC, StepPlan
from shiftwork.prompts.answer.contract import Problem, edits
from shiftwork.prompts.prompt_parts import compose
from tests.unit.prompts.test_prompt_context import EDITING, GIVEN, REMAINING, STEP, a_state, a_step, shown


def without_others(kind: str, **changes: object) -> str:
    step = a_step(kind, **changes)
    return compose(replace(a_state(step), pipeline=Pipeline(steps=(step,))), step, GIVEN)


def test_where_no_step_is_left_none_can_be_edited_except_by_the_last_review() -> None:
    for kind in CATALOGUE:
        prompt = without_others(kind)
        assert ("edit_workflow" in prompt) == (REMAINING in prompt) == (kind == "final_review")
        advised = re.search("(?i)(add|split|add or split|remaining|add the|add a) steps?", prompt.partition(STEP)[2])
        assert bool(advised) == (kind == "final_review"), "nor do the instructions speak of steps to add"


def test_the_instructions_name_a_plan_only_where_there_is_one() -> None:
    assert "Carry out the plan" in compose(a_state(a_step("coding")), a_step("coding"), GIVEN)
    assert "the plan" not in without_others("coding")
    designed = a_state(a_step("coding"))
    steps = designed.pipeline.steps
    tests = Step(id=step_id(9), plan=StepPlan(name="t", type="test_architecture"), status=StepStatus.COMPLETED)
    with_tests = replace(designed, pipeline=replace(designed.pipeline, steps=(tests, *steps)))
    assert "that the test plan names" in compose(with_tests, a_step("coding"), GIVEN)
    assert "Write a test for every criterion" in without_others("coding")


def test_a_type_of_the_workflow_is_no_condition_of_the_instructions() -> None:
    step = a_step("coding")
    other = Step(id=step_id(9), plan=StepPlan(name="edit", type="edit"), status=StepStatus.COMPLETED)
    prompt = compose(replace(a_state(step), pipeline=Pipeline(steps=(other, step))), step, GIVEN)

    assert "add a step" not in prompt


def test_an_editing_step_sees_what_is_left_and_what_stands_before_it() -> None:
    step = a_step("coding")
    prompt = compose(a_state(step), step, GIVEN)

    assert "- step-004 coding, in_progress (this step): D\n- step-005 final_review, pending: last look\n" in prompt
    assert "The step before yours is step-003." in prompt


def test_the_first_step_has_none_before_it() -> None:
    step = a_step("coding")
    state = a_state(step)
    prompt = compose(replace(state, pipeline=Pipeline(steps=(step, state.pipeline.steps[-1]))), step, GIVEN)

    assert REMAINING in prompt
    assert "The step before yours" not in prompt


def test_without_tools_edits_are_written_to_a_file() -> None:
    step = a_step("coding")
    prompt = compose(a_state(step), step, replace(GIVEN, tools=False, output_folder="/out/edits.json"))

    assert "`/out/edits.json`" in prompt
    assert "edit_workflow" not in prompt


def test_the_examples_of_editing_can_be_understood() -> None:
    step = a_step("coding")
    prompt = compose(a_state(step), step, GIVEN)
    example = prompt.split("```json\n")[1].split("```")[0]
    found = edits(example)

    assert not isinstance(found, Problem)
    assert [edit.operation for edit in found] == [
        "add_after",
        "split",
        "skip",
        "reorder",
        "edit_description",
        "restart",
    ]
    assert all(edit.reason for edit in found)


def test_the_way_final_review_is_instructed_to_ask_for_more_work_is_allowed() -> None:
    """The advice in the template and the rules of editing must not drift apart."""
    assert "add steps that fix it after the step before this one" in compose(
        a_state(a_step("final_review")), a_step("final_review"), GIVEN
    )
    steps = [replace(step, status=StepStatus.COMPLETED) for step in pipeline_of(DYNAMIC.story_steps).steps]
    steps[-1] = replace(steps[-1], status=StepStatus.IN_PROGRESS)
    request = edits(
        '{"operation": "add_after", "target_step_id": "step-009", "reason": "red",'
        ' "new_steps": [{"type": "coding", "description": "mend"}]}'
    )
    assert not isinstance(request, Problem)
    changed = apply_edits(Pipeline(steps=tuple(steps), next_number=11), StepId("step-010"), request)

    assert not isinstance(changed, Rejected)
    assert [step.plan.type for step in changed.pending] == ["coding", "final_review"]


def test_without_tools_and_without_a_file_nothing_is_said_of_editing() -> None:
    assert not {REMAINING, EDITING} & set(shown("coding", replace(GIVEN, tools=False)))
