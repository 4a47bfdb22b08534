"""The table of `shiftwork steps`: it fits 80 columns, and says of each step what became of it."""

from typing import Any

from shiftwork.app.views.step_list import StepLine
from shiftwork.domain.core.ids import step_id
from shiftwork.entrypoints.cli.commands.steps_show import table

LONG = "Read every module that this change concerns, and say of each what it is for and who calls it. " * 3


def line(number: int, **changes: Any) -> StepLine:
    given: dict[str, Any] = {
        "number": number,
        "id": step_id(number),
        "name": "coding",
        "type": "coding",
        "status": "completed",
        "attempts": 1,
        "restarts": 0,
        "added_by": "workflow",
        "description": "Write the code",
        "outcome": "",
        "mandatory": False,
        "last": False,
    }
    return StepLine(**{**given, **changes})


def test_a_row_names_the_step_and_the_lines_below_say_what_it_does_and_what_became_of_it() -> None:
    skipped = line(12, status="skipped", attempts=0, added_by="agent (step-002)", outcome="it adds no tests")
    rows = [*table([(line(2, outcome="wrote it"), "done"), (skipped, "skipped")], 80)]
    assert rows == [
        " #  step      name    state    tries  added by",
        " 2  step-002  coding  done         1  workflow",
        "    Write the code",
        "    → wrote it",
        "12  step-012  coding  skipped      -  agent (step-002)",
        "    Write the code",
        "    skipped: it adds no tests",
    ]


def test_the_longest_names_and_texts_fit_80_columns() -> None:
    longest = line(
        30,
        name="test_architecture_of_the_service",
        type="a_type_of_its_own_workflow",
        status="cancelled",
        attempts=12,
        added_by="agent (step-029)",
        description=LONG,
        outcome=LONG,
    )
    rows = [*table([(longest, "cancelled")], 80)]
    assert max(map(len, rows)) <= 80
    assert sum(row.endswith("…") for row in rows) == 2, "a cut is marked"
