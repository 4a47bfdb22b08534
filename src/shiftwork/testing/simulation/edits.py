"""Workflow edit requests, including invalid and absurd requests."""

from collections.abc import Sequence
from typing import Final

from shiftwork.domain.core.ids import StepId
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.pipeline import Pipeline, StepStatus
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.testing.simulation.simulation import Chance

_COUNTS: Final = (1, 1, 1, 2, 2, 3, 0, 12)
_REASONS: Final = ("because",) * 11 + (" ",)
_DESCRIPTIONS: Final = ("do it otherwise",) * 7 + ("",)


def edit_request(chance: Chance, pipeline: Pipeline) -> tuple[Edit, ...]:
    """One to three operations, each valid or invalid in any way."""
    return tuple(_edit(chance, pipeline) for _ in range(chance.pick((1, 1, 2, 3))))


def restart_request(pipeline: Pipeline) -> tuple[Edit, ...]:
    """The current step requests to start over."""
    return tuple(
        Edit(operation=Operation.RESTART, reason="because", target=step.id, description="do it otherwise")
        for step in pipeline.steps
        if step.status is StepStatus.IN_PROGRESS
    )


def work_request(pipeline: Pipeline) -> tuple[Edit, ...]:
    """The current step requests work before the last step."""
    new = NewStep(type="coding", description="more")
    target = pipeline.steps[-2:][0].id
    return (Edit(operation=Operation.ADD_AFTER, reason="because", target=target, steps=(new,)),)


def _edit(chance: Chance, pipeline: Pipeline) -> Edit:
    operation = chance.pick(tuple(Operation))
    return Edit(
        operation=operation,
        reason=chance.pick(_REASONS),
        target=_target(chance, pipeline, operation),
        steps=_steps(chance, pipeline) if operation in {Operation.ADD_AFTER, Operation.SPLIT} else (),
        order=_order(chance, pipeline) if operation is Operation.REORDER else (),
        description=chance.pick(_DESCRIPTIONS),
    )


def _target(chance: Chance, pipeline: Pipeline, operation: Operation) -> StepId:
    """An existing step, usually a plausible target of the operation; sometimes a step that does not exist."""
    every = [step.id for step in pipeline.steps]
    current = pipeline.current
    likely = [current.id] if current and operation is Operation.RESTART else [step.id for step in pipeline.pending]
    return chance.pick(chance.pick((likely, likely, likely, every)) or [StepId("step-999")])


def _steps(chance: Chance, pipeline: Pipeline) -> tuple[NewStep, ...]:
    types = ("coding", *CATALOGUE, "nonsense", *sorted({step.plan.type for step in pipeline.steps} - CATALOGUE.keys()))
    return tuple(
        NewStep(type=chance.pick(types), description=chance.pick(("more",) * 9 + ("",)))
        for _ in range(chance.pick(_COUNTS))
    )


def _order(chance: Chance, pipeline: Pipeline) -> tuple[StepId, ...]:
    pending = [step.id for step in pipeline.pending]
    match chance.pick(("shuffled", "shuffled", "as it is", "one short", "one twice", "one too many")):
        case "shuffled":
            return _shuffled(chance, pending[:-1]) + tuple(pending[-1:])
        case "one short":
            return tuple(pending[1:])
        case "one twice":
            return (*pending, *pending[:1])
        case "one too many":
            return (*pending, StepId("step-001"))
        case _:
            return tuple(pending)


def _shuffled(chance: Chance, ids: Sequence[StepId]) -> tuple[StepId, ...]:
    left, order = list(ids), []
    while left:
        order.append(chance.pick(left))
        left.remove(order[-1])
    return tuple(order)
