"""The step catalogue: the types of steps, how long each may take, what it may edit, what its prompt contains."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Section(StrEnum):
    """A part of a prompt that a step type may include."""

    STORY = "story"
    CRITERIA = "criteria"
    NOTES = "notes"
    SCRATCH = "scratch"
    GATES = "gates"
    PROJECT = "project"
    PATTERNS = "patterns"
    PROGRESS = "progress"


EVERYTHING: Final = frozenset(Section)

_LEARNT: Final = frozenset({Section.PROJECT, Section.PATTERNS, Section.PROGRESS})
"""What other stories and earlier runs have learnt: for the steps that explore, plan and change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepType:
    """One row of the catalogue. A step that `changes` files fails where it has changed none. `sees` limits the prompt;
    feedback on the step's own last attempt is always included.
    """

    name: str
    minutes: int
    description: str
    may_edit: bool = False
    mandatory: bool = False
    last: bool = False
    changes: bool = False
    sees: frozenset[Section] = EVERYTHING


_ROWS: Final = (
    StepType(
        name="context_gathering",
        minutes=15,
        description="Explore the code, schemas, docs and tests that this story concerns",
        sees=frozenset({Section.STORY, Section.CRITERIA, Section.SCRATCH}) | _LEARNT,
    ),
    StepType(
        name="planning",
        minutes=10,
        may_edit=True,
        description="Decide what to change, in which order and how",
        sees=frozenset({Section.STORY, Section.CRITERIA, Section.NOTES, Section.SCRATCH}) | _LEARNT,
    ),
    StepType(
        name="architecture",
        minutes=10,
        may_edit=True,
        description="Design the structure of the change",
        sees=frozenset({Section.STORY, Section.CRITERIA, Section.NOTES, Section.SCRATCH}) | _LEARNT,
    ),
    StepType(
        name="test_architecture",
        minutes=10,
        may_edit=True,
        description="Design the tests, independently of the implementation",
        sees=frozenset({Section.STORY, Section.CRITERIA, Section.NOTES, Section.SCRATCH}) | _LEARNT,
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
        sees=frozenset({Section.GATES}),
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
        sees=frozenset({Section.STORY, Section.CRITERIA, Section.NOTES}),
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
