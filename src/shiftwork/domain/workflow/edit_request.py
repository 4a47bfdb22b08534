"""Requests to change a story's remaining steps: six operations, as an agent or a person writes them."""

from enum import StrEnum

from shiftwork.domain.core.ids import StepId
from shiftwork.records import dataclass


class Operation(StrEnum):
    """What an edit does to the pipeline."""

    ADD_AFTER = "add_after"
    SPLIT = "split"
    SKIP = "skip"
    REORDER = "reorder"
    EDIT_DESCRIPTION = "edit_description"
    RESTART = "restart"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStep:
    """A step to add; the harness assigns its id."""

    type: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One operation. `operation` determines which fields it needs; the rules refuse a request where any is missing."""

    operation: Operation
    reason: str
    target: StepId = StepId("")
    steps: tuple[NewStep, ...] = ()
    order: tuple[StepId, ...] = ()
    description: str = ""
