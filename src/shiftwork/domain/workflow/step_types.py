"""The step catalogue: the types of steps, how long each may take, what it may edit and prove."""

from typing import Final

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StepType:
    """One row of the catalogue. A step that `changes` files fails where it has changed none; a step that `proves` can
    give evidence that the story's criteria hold.
    """

    name: str
    minutes: int
    description: str
    may_edit: bool = False
    mandatory: bool = False
    last: bool = False
    changes: bool = False
    proves: bool = True


_ROWS: Final = (
    StepType(
        name="context_gathering",
        minutes=15,
        description="Explore the code, schemas, docs and tests that this story concerns",
        proves=False,
    ),
    StepType(
        name="planning",
        minutes=10,
        may_edit=True,
        description="Decide what to change, in which order and how",
        proves=False,
    ),
    StepType(
        name="architecture",
        minutes=10,
        may_edit=True,
        description="Design the structure of the change",
        proves=False,
    ),
    StepType(
        name="test_architecture",
        minutes=10,
        may_edit=True,
        description="Design the tests, independently of the implementation",
        proves=False,
    ),
    StepType(
        name="coding",
        minutes=30,
        may_edit=True,
        changes=True,
        description="Implement the change and its tests",
    ),
    StepType(
        name="linting",
        minutes=5,
        mandatory=True,
        description="Run formatters and linters and fix what they find",
        proves=False,
    ),
    StepType(
        name="initial_testing",
        minutes=20,
        may_edit=True,
        description="Run the tests and sort the failures by cause",
    ),
    StepType(
        name="review",
        minutes=10,
        may_edit=True,
        description="Review the change against every acceptance criterion",
    ),
    StepType(
        name="prune_tests",
        minutes=10,
        description="Remove tests that add nothing",
        proves=False,
    ),
    StepType(
        name="final_review",
        minutes=15,
        may_edit=True,
        mandatory=True,
        last=True,
        description="Verify that every criterion holds and that every check passes",
    ),
    StepType(
        name="rebase_resolve",
        minutes=15,
        changes=True,
        description="Resolve the conflicts with what has landed since this story began",
    ),
)

CATALOGUE: Final = {row.name: row for row in _ROWS}

DYNAMIC_STEPS: Final = tuple(row.name for row in _ROWS if row.name != "rebase_resolve")
