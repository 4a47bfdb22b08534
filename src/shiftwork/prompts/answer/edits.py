"""Parses a request to change a story's steps, from the tool or from a file.

It accepts the names that agents tend to use and refuses everything else; the rules of editing decide whether the
pipeline allows the change.
"""

from collections.abc import Callable
from typing import Final

from shiftwork.domain.core.ids import StepId
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.prompts.answer.json_fields import Fields, kind, read_json
from shiftwork.prompts.answer.marked_lines import cleaned
from shiftwork.prompts.answer.problem import Problem, did_you_mean, problem, shown

MAX_OPERATIONS: Final = 30

_OPERATIONS: Final = {operation.value: operation for operation in Operation}
_STEP_LISTS: Final = ("new_steps", "replacement_steps", "steps")


def edits(text: str) -> tuple[Edit, ...] | Problem:
    """Returns the operations of a request, or all problems with it."""
    value = read_json(cleaned(text))
    if isinstance(value, Problem):
        return problem(*(f"the request is {message}" for message in value.messages))
    items = _operations(value)
    if not isinstance(items, list):
        return problem(f"the request must be a list of operations, not {kind(items)}")
    if not 0 < len(items) <= MAX_OPERATIONS:
        return problem(f"the request must hold 1 to {MAX_OPERATIONS} operations; it holds {len(items)}")
    problems: list[str] = []
    found = [_edit(f"operation {number}", item, problems) for number, item in enumerate(items, start=1)]
    if problems:
        return Problem(messages=tuple(problems))
    return tuple(edit for edit in found if edit is not None)


def _operations(value: object) -> object:
    """The list of operations: the request itself, its `operations`, or a single operation as a list."""
    if not isinstance(value, dict):
        return value
    return [value] if "operation" in value else value.get("operations", [value])


def _edit(where: str, item: object, problems: list[str]) -> Edit | None:
    if not isinstance(item, dict):
        problems.append(f"{where} must be an object, not {kind(item)}")
        return None
    name = Fields(item, where, problems).text("operation")
    operation = _OPERATIONS.get(name.lower().replace("-", "_").replace(" ", "_"))
    if operation is None:
        if name:
            guess = did_you_mean(name, _OPERATIONS) or f"; known are {', '.join(_OPERATIONS)}"
            problems.append(f"{where}: there is no operation {shown(name)}{guess}")
        return None
    return _READERS[operation](operation, Fields(item, f"{where} ({operation})", problems))


def _target(fields: Fields) -> StepId:
    return StepId(fields.text("target_step_id", "target"))


def _with_steps(operation: Operation, fields: Fields) -> Edit:
    name = "replacement_steps" if operation is Operation.SPLIT else "new_steps"
    items = fields.items(name, *_STEP_LISTS)
    steps = tuple(_new_step(f"{fields.where}, {name} {n}", item, fields) for n, item in enumerate(items, start=1))
    return Edit(operation=operation, reason=fields.text("reason"), target=_target(fields), steps=steps)


def _skip(operation: Operation, fields: Fields) -> Edit:
    return Edit(operation=operation, reason=fields.text("reason"), target=_target(fields))


def _reorder(operation: Operation, fields: Fields) -> Edit:
    order = tuple(StepId(step) for step in fields.texts("new_order", "order"))
    return Edit(operation=operation, reason=fields.text("reason"), order=order)


def _describe(operation: Operation, fields: Fields) -> Edit:
    description = fields.text("new_description", "description")
    return Edit(operation=operation, reason=fields.text("reason"), target=_target(fields), description=description)


_READERS: Final[dict[Operation, Callable[[Operation, Fields], Edit]]] = {
    Operation.ADD_AFTER: _with_steps,
    Operation.SPLIT: _with_steps,
    Operation.SKIP: _skip,
    Operation.REORDER: _reorder,
    Operation.EDIT_DESCRIPTION: _describe,
    Operation.RESTART: _describe,
}


def _new_step(where: str, item: object, parent: Fields) -> NewStep:
    if not isinstance(item, dict):
        parent.problems.append(f"{where} must be an object with type and description, not {kind(item)}")
        return NewStep(type="", description="")
    fields = Fields(item, where, parent.problems)
    return NewStep(type=fields.text("type"), description=fields.text("description"))
