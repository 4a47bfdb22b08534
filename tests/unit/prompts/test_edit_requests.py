"""An edit request is understood in the forms that agents use, or refused with operation, field and expectation."""

import json

import pytest

from shiftwork.domain.core.ids import StepId
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.prompts.answer.contract import Problem, edits

SKIP = {"operation": "skip", "target_step_id": "step-009", "reason": "R"}
SKIPPED = Edit(operation=Operation.SKIP, reason="R", target=StepId("step-009"))
KNOWN = "add_after, split, skip, reorder, edit_description, restart"
STEP = {"type": "coding", "description": "D"}


def understood(request: object) -> tuple[Edit, ...]:
    found = edits(request if isinstance(request, str) else json.dumps(request))
    assert not isinstance(found, Problem), found.text
    return found


def refused(request: object) -> str:
    found = edits(request if isinstance(request, str) else json.dumps(request))
    assert isinstance(found, Problem)
    return found.text


@pytest.mark.parametrize(
    "request_",
    [
        SKIP,
        [SKIP],
        {"operations": [SKIP]},
        f"```json\n{json.dumps([SKIP])}\n```",
        f"\ufeff\n {json.dumps(SKIP)}\r\n",
        {**SKIP, "operation": "SKIP", "unknown": 1},
        {"operation": " skip ", "target": "step-009", "reason": " R "},
    ],
)
def test_forms_of_a_request(request_: object) -> None:
    assert understood(request_) == (SKIPPED,)


def test_several_operations_keep_their_order() -> None:
    restart = {"operation": "restart", "target_step_id": "step-005", "reason": "R", "new_description": "N"}

    assert [edit.operation for edit in understood([SKIP, restart, SKIP])] == ["skip", "restart", "skip"]


@pytest.mark.parametrize("operation", ["add_after", "split", "add-after", "Add After"])
@pytest.mark.parametrize("name", ["new_steps", "replacement_steps", "steps"])
def test_operations_with_steps(operation: str, name: str) -> None:
    request = {"operation": operation, "target_step_id": "step-001", "reason": "R", name: [STEP, {**STEP, "id": "x"}]}
    expected = Operation.SPLIT if operation == "split" else Operation.ADD_AFTER

    assert understood(request) == (
        Edit(
            operation=expected,
            reason="R",
            target=StepId("step-001"),
            steps=(NewStep(type="coding", description="D"), NewStep(type="coding", description="D")),
        ),
    )


@pytest.mark.parametrize("name", ["new_order", "order"])
def test_reorder(name: str) -> None:
    assert understood({"operation": "reorder", "reason": "R", name: ["b", "a"]}) == (
        Edit(operation=Operation.REORDER, reason="R", order=(StepId("b"), StepId("a"))),
    )


@pytest.mark.parametrize("operation", ["restart", "edit_description"])
@pytest.mark.parametrize("name", ["new_description", "description"])
def test_operations_with_a_description(operation: str, name: str) -> None:
    request = {"operation": operation, "target_step_id": "s", "reason": "R", name: "N"}

    assert understood(request) == (
        Edit(operation=Operation(operation), reason="R", target=StepId("s"), description="N"),
    )


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ("", "the request is not valid JSON: Expecting value, at line 1, column 1"),
        ("skip it", "the request is not valid JSON: Expecting value"),
        ('[{"operation": "skip"', "the request is not valid JSON: Expecting ',' delimiter"),
        ("7", "the request must be a list of operations, not a whole number"),
        ({"operations": "skip"}, "the request must be a list of operations, not text"),
        ([], "the request must hold 1 to 30 operations; it holds 0"),
        ([SKIP] * 31, "the request must hold 1 to 30 operations; it holds 31"),
        ({}, "operation 1: operation is missing; text was expected"),
        (
            {"operatoin": "skip"},
            "operation 1: operation is missing; text was expected (is 'operatoin' meant?)",
        ),
        ([SKIP, []], "operation 2 must be an object, not a list"),
        ({"operation": 1}, "operation 1: operation must be text, not a whole number"),
        ({"operation": "add_befor"}, "operation 1: there is no operation 'add_befor'; did you mean 'add_after'?"),
        ({"operation": "addafter"}, "operation 1: there is no operation 'addafter'; did you mean 'add_after'?"),
        (
            {"operation": "x" * 500},
            f"operation 1: there is no operation '{'x' * 60}…'; known are {KNOWN}",
        ),
        ({**SKIP, "target_step_id": None}, "operation 1 (skip): target_step_id is missing; text was expected"),
        ({**SKIP, "reason": " "}, "operation 1 (skip): reason must not be empty"),
        ({**SKIP, "operation": "reorder"}, "operation 1 (reorder): new_order is missing; a list was expected"),
        (
            {"operation": "reorder", "reason": "R", "new_order": ["a", 1]},
            "operation 1 (reorder): new_order must hold texts; number 2 is a whole number",
        ),
        ({**SKIP, "operation": "restart"}, "operation 1 (restart): new_description is missing; text was expected"),
        (
            {**SKIP, "operation": "split", "replacment_step": [STEP]},
            "operation 1 (split): replacement_steps is missing; a list was expected (is 'replacment_step' meant?)",
        ),
        ({**SKIP, "operation": "split", "steps": []}, "operation 1 (split): replacement_steps must not be empty"),
        (
            {**SKIP, "operation": "add_after", "new_steps": STEP},
            "operation 1 (add_after): new_steps must be a list, not an object",
        ),
        (
            {**SKIP, "operation": "add_after", "new_steps": [STEP, "coding"]},
            "operation 1 (add_after), new_steps 2 must be an object with type and description, not text",
        ),
        (
            {**SKIP, "operation": "add_after", "new_steps": [{"type": "coding"}]},
            "operation 1 (add_after), new_steps 1: description is missing; text was expected",
        ),
    ],
)
def test_refusals_say_where_what_and_why(request_: object, message: str) -> None:
    assert refused(request_) == message or refused(request_).startswith(f"{message},")


def test_every_mistake_of_a_request_is_named() -> None:
    assert refused([{"operation": "skip"}, SKIP, {"operation": "jump"}]).splitlines() == [
        "operation 1 (skip): reason is missing; text was expected",
        "operation 1 (skip): target_step_id is missing; text was expected",
        f"operation 3: there is no operation 'jump'; known are {KNOWN}",
    ]
