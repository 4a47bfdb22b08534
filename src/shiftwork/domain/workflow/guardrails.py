"""The six editing operations and the eleven guardrails that limit them.

A request is applied completely or not at all: each edit is checked against the pipeline after the previous edits, and
the first refused edit refuses the request.
"""

from collections.abc import Callable, Sequence
from typing import Final

from shiftwork.domain.core.ids import StepId, step_id
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.pipeline import Pipeline, Step, StepStatus, planned_step
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.transitions import turn_step
from shiftwork.domain.workflow.workflow import Exhausted, StepKind, catalogue_step
from shiftwork.records import dataclass, replace

MAX_STEPS: Final = 30
MAX_RESTARTS: Final = 3
HARNESS_ONLY: Final = frozenset({"rebase_resolve"})
PERSON: Final = "person"
HARNESS: Final = "harness"

_REASON: Final = 120

_YIELDING: Final = {StepStatus.IN_PROGRESS: Trigger.INTERRUPT, StepStatus.COMPLETED: Trigger.REWIND}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """Why a request was refused, as shown to the agent."""

    reason: str


class _Refusal(Exception):  # noqa: N818 - not an error of the product: it never leaves this module
    """Carries a reason from an operation up to `apply_edits`."""


def apply_edits(pipeline: Pipeline, by: StepId | str, edits: Sequence[Edit]) -> Pipeline | Rejected:
    """The pipeline after all edits, or why none is applied. `by` is the editing step, a person or the harness."""
    if not edits:
        return Rejected(reason="the request has no operation")
    try:
        _check_editor(pipeline, by)
        for number, edit in enumerate(edits, start=1):
            try:
                pipeline = _apply(pipeline, by, edit)
            except _Refusal as refusal:
                raise _Refusal(f"operation {number} ({edit.operation}): {refusal}") from None
    except _Refusal as refusal:
        return Rejected(reason=str(refusal))
    return _yield_last(pipeline)


def restarts(edits: Sequence[Edit]) -> bool:
    return bool(restarted(edits))


def restarted(edits: Sequence[Edit]) -> set[StepId]:
    return {edit.target for edit in edits if edit.operation is Operation.RESTART}


def outline(pipeline: Pipeline) -> tuple[str, ...]:
    """The pipeline as rows for the history: the difference of two outlines is what an edit changed."""
    return tuple(f"{step.id} {step.plan.type} {step.status} {step.plan.description}" for step in pipeline.steps)


def skipped(pipeline: Pipeline) -> tuple[str, ...]:
    """The steps that an edit left out, each with the reason; without those that a decision passed over."""
    left = (step for step in pipeline.steps if step.status is StepStatus.SKIPPED and not step.passed_over)
    return tuple(f"{step.plan.name}: {' '.join(step.skip_reason.split())[:_REASON]}".rstrip(": ") for step in left)


def _check_editor(pipeline: Pipeline, by: StepId | str) -> None:
    if by in {PERSON, HARNESS}:
        return
    editor = pipeline.find(StepId(by))
    if editor is None or editor.status is not StepStatus.IN_PROGRESS:
        raise _Refusal(f"{by} is not the step that runs now, so it may not edit this story")
    if not editor.may_edit:
        raise _Refusal(f"a {editor.plan.type} step may not edit the workflow")


def _apply(pipeline: Pipeline, by: StepId | str, edit: Edit) -> Pipeline:
    if not edit.reason.strip():
        raise _Refusal("a reason is required")
    changed = _OPERATIONS[edit.operation](pipeline, by, edit)
    if len(changed.steps) > MAX_STEPS:
        raise _Refusal(f"the workflow would have {len(changed.steps)} steps; at most {MAX_STEPS} are allowed")
    _check_last(changed)
    if by != PERSON:
        _check_mandatory(pipeline, changed)
    return changed


def _check_mandatory(before: Pipeline, after: Pipeline) -> None:
    """An agent may not rewrite, split or bypass a mandatory step that has not run yet: the step stays unchanged, what
    is before it stays before it, and nothing may be added after the last of them, because nothing would check it.
    """
    for step in before.steps:
        left = after.find(step.id)
        if step.mandatory and left is None:
            raise _Refusal(f"{step.plan.type} is mandatory and an agent may not split it; add steps before it instead")
        if step.mandatory and left and left.plan.description != step.plan.description:
            raise _Refusal(f"{step.plan.type} is mandatory: an agent may not change its description")
    coming = [step for step in before.steps if step.mandatory and step.status is StepStatus.PENDING]
    for step in coming:
        ahead = {item.id for item in before.steps[: before.index(step.id)]}
        passed = next((item for item in after.steps[after.index(step.id) :] if item.id in ahead), None)
        if passed:
            raise _Refusal(f"{step.plan.type} is mandatory: {passed.id} must stay before it")
    if coming:
        new = {step.id for step in after.steps} - {step.id for step in before.steps}
        if any(step.id in new for step in after.steps[after.index(coming[-1].id) :]):
            raise _Refusal(
                f"{coming[-1].plan.type} is mandatory, and nothing checks what follows it; add steps before it"
            )


def _check_last(pipeline: Pipeline) -> None:
    """Only skipped steps may follow a step that must be last."""
    for position, step in enumerate(pipeline.steps):
        rest = pipeline.steps[position + 1 :]
        if step.last and any(other.status is not StepStatus.SKIPPED for other in rest):
            raise _Refusal(f"{step.plan.type} must stay last; add steps before it instead")


def _yield_last(pipeline: Pipeline) -> Pipeline:
    """If the last step had started or completed before work was inserted before it, it runs (again) after that work."""
    last = next((step for step in pipeline.steps if step.status in _YIELDING and step.last), None)
    if last is None:
        return pipeline
    before = pipeline.steps[: pipeline.index(last.id)]
    if all(step.status is not StepStatus.PENDING for step in before):
        return pipeline
    return pipeline.with_step(_turned(last, _YIELDING[last.status]))


def _add_after(pipeline: Pipeline, by: StepId | str, edit: Edit) -> Pipeline:
    target = _existing(pipeline, edit.target)
    added, number = _new_steps(pipeline, by, edit.steps)
    position = pipeline.index(target.id) + 1
    return Pipeline(steps=pipeline.steps[:position] + added + pipeline.steps[position:], next_number=number)


def _split(pipeline: Pipeline, by: StepId | str, edit: Edit) -> Pipeline:
    target = _pending(pipeline, by, edit.target)
    if target.attempts:
        # New steps have new counters: steps that restart themselves and split each other would never end.
        raise _Refusal(f"{target.id} has been attempted and cannot be split; add steps after it instead")
    if target.mandatory and all(step.type != target.plan.type for step in edit.steps):
        raise _Refusal(f"{target.plan.type} is mandatory: one of the steps that replace it must be {target.plan.type}")
    if target.plan.routes:
        raise _Refusal(
            f"{target.id} decides where the story goes next and cannot be split; add steps before it instead"
        )
    added, number = _new_steps(pipeline, by, edit.steps)
    position = pipeline.index(target.id)
    steps = pipeline.steps[:position] + added + pipeline.steps[position + 1 :]
    return Pipeline(steps=tuple(_led_to(step, target.id, added[0].id) for step in steps), next_number=number)


def _led_to(step: Step, old: StepId, new: StepId) -> Step:
    """The step, with routes to the replaced step pointing to the first of its replacements."""
    routes = tuple(replace(route, target=new) if route.target == old else route for route in step.plan.routes)
    return step if routes == step.plan.routes else replace(step, plan=replace(step.plan, routes=routes))


def _skip(pipeline: Pipeline, by: StepId | str, edit: Edit) -> Pipeline:
    target = _pending(pipeline, by, edit.target)
    if target.mandatory:
        raise _Refusal(f"{target.plan.type} is mandatory and cannot be skipped")
    return pipeline.with_step(_turned(replace(target, skip_reason=edit.reason), Trigger.SKIP))


def _reorder(pipeline: Pipeline, by: StepId | str, edit: Edit) -> Pipeline:
    """A person who did not name the step that ran when they asked means the steps after it, if it was interrupted."""
    pending = {step.id: step for step in pipeline.pending}
    if by == PERSON and (first := next(iter(pending.values()), None)) and first.attempts and first.id not in edit.order:
        del pending[first.id]
    if len(edit.order) != len(set(edit.order)) or set(edit.order) != pending.keys():
        subject = "the order" if by == PERSON else "new_order"  # which is the key in an agent's request
        raise _Refusal(f"{subject} must name each pending step exactly once: {', '.join(pending)}")
    queue = iter(edit.order)
    steps = tuple(pending[next(queue)] if step.id in pending else step for step in pipeline.steps)
    changed = replace(pipeline, steps=steps)
    _check_routes(changed)
    return changed


def _check_routes(pipeline: Pipeline) -> None:
    """The target of a route back must be before the deciding step, the target of a route forward after it."""
    places = {step.id: place for place, step in enumerate(pipeline.steps)}
    for step in pipeline.steps:
        for route in step.plan.routes:
            ahead = places.get(StepId(route.target), places[step.id]) > places[step.id]
            if route.target in places and ahead is route.back:
                side = "before" if route.back else "after"
                raise _Refusal(f"{route.target} must stay {side} {step.id}, whose decision may lead there")


def _edit_description(pipeline: Pipeline, by: StepId | str, edit: Edit) -> Pipeline:
    target = _pending(pipeline, by, edit.target)
    return pipeline.with_step(replace(target, plan=replace(target.plan, description=_described(edit))))


def _restart(pipeline: Pipeline, by: StepId | str, edit: Edit) -> Pipeline:
    target = _existing(pipeline, edit.target)
    person = by == PERSON
    if person:
        _check_attempted(target)
    elif target.status is not StepStatus.IN_PROGRESS or by != target.id:
        raise _Refusal("only the step that runs now can be restarted; use edit_description for a pending one")
    if target.restarts >= MAX_RESTARTS:
        raise _Refusal(f"{target.id} has been restarted {MAX_RESTARTS} times, which is the limit")
    restarted = _turned(replace(target, restarts=target.restarts + 1), Trigger.RESTART)
    description = target.plan.description if person and not edit.description.strip() else _described(edit)
    feedback = f"{'A person' if person else 'You'} restarted this step: {edit.reason}"
    return pipeline.with_step(replace(restarted, plan=replace(target.plan, description=description), feedback=feedback))


def _check_attempted(target: Step) -> None:
    """A person may restart a step whose attempt is in progress, or was until its worker died."""
    if target.plan.kind is not StepKind.AGENT:
        raise _Refusal(f"no agent performs {target.id} {target.plan.name}, so it cannot be restarted")
    if target.unsummarised:
        raise _Refusal(f"{target.id} has done its work and is only asked for its summary")
    if target.status is StepStatus.PENDING and not target.attempts:
        raise _Refusal(f"{target.id} has not started; change its description instead")
    if target.status not in {StepStatus.IN_PROGRESS, StepStatus.PENDING}:
        raise _Refusal(f"{target.id} is {target.status}; only the step that runs now can be restarted")


_OPERATIONS: Final[dict[Operation, Callable[[Pipeline, StepId | str, Edit], Pipeline]]] = {
    Operation.ADD_AFTER: _add_after,
    Operation.SPLIT: _split,
    Operation.SKIP: _skip,
    Operation.REORDER: _reorder,
    Operation.EDIT_DESCRIPTION: _edit_description,
    Operation.RESTART: _restart,
}


def _existing(pipeline: Pipeline, wanted: StepId) -> Step:
    found = pipeline.find(wanted)
    if found is None:
        raise _Refusal(f"this story has no step {wanted or '(none named)'}")
    return found


def _pending(pipeline: Pipeline, by: StepId | str, wanted: StepId) -> Step:
    """A step that may be changed. The editor itself may not, not even after its own restart: its attempt has not ended
    yet, and its usage is recorded for a step that must still exist.
    """
    found = _existing(pipeline, wanted)
    if found.id == by:
        raise _Refusal(f"{found.id} is running and can only be restarted; only pending steps can be changed")
    if found.status is not StepStatus.PENDING:
        raise _Refusal(f"{found.id} is {found.status}; only pending steps can be changed")
    return found


def _described(edit: Edit) -> str:
    if not edit.description.strip():
        raise _Refusal("new_description is required")
    return edit.description


def _turned(step: Step, trigger: Trigger) -> Step:
    """The step in its next status; each caller has checked that the table allows it."""
    return turn_step(step, trigger) or step


def _new_steps(pipeline: Pipeline, by: StepId | str, wanted: Sequence[NewStep]) -> tuple[tuple[Step, ...], int]:
    if not wanted:
        raise _Refusal("at least one new step is required")
    number = pipeline.next_number
    added = (_new_step(pipeline, number + place, new) for place, new in enumerate(wanted))
    return tuple(replace(step, added_by=by) for step in added), number + len(wanted)


def _new_step(pipeline: Pipeline, number: int, new: NewStep) -> Step:
    """A step of the catalogue, or of a type that this story's own workflow defines."""
    if new.type in HARNESS_ONLY:
        raise _Refusal(f"{new.type} steps are added only by Shiftwork")
    if not new.description.strip():
        raise _Refusal(f"the new {new.type} step needs a description")
    twin = next((step for step in pipeline.steps if step.plan.type == new.type), None)
    if twin is None and new.type not in CATALOGUE:
        raise _Refusal(
            f"there is no step type {new.type!r}; known are {', '.join(sorted(CATALOGUE.keys() - HARNESS_ONLY))}"
        )
    if twin is None:
        return planned_step(number, replace(catalogue_step(new.type), description=new.description))
    own = replace(twin.plan, name=new.type, description=new.description)
    return Step(
        id=step_id(number), plan=replace(own, exhausted=Exhausted.FAIL, decision_key="", routes=(), plans=False)
    )
