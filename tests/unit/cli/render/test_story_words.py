"""The words for a story that its live view and `status` share."""

from dataclasses import replace

import pytest

from shiftwork.app.views.run_views import Activity, RunView
from shiftwork.entrypoints.cli.render.story_words import failed_in_short, question_lines
from shiftwork.ports.rows.row_parts import WaitCause, WaitingPart
from shiftwork.testing.conformance.store_stage import run_row, story_row


@pytest.mark.parametrize(
    ("failure", "shown"),
    [
        (
            "ended with exit code 3\nlast output: thinking\n2/2 no model",
            "ended with exit code 3; last output: 2/2 no model",
        ),
        ("not landed (gates) after 2 repairs: gate test failed:\nassert 1 == 2", "assert 1 == 2"),
        ("conflict markers are still in calc.py", "conflict markers are still in calc.py"),
    ],
)
def test_a_failure_begins_with_its_cause_and_not_with_what_the_agent_said(failure: str, shown: str) -> None:
    assert failed_in_short(replace(story_row("r1", "US-001"), failure=failure)) == shown


@pytest.mark.parametrize(
    ("waiting", "shown"),
    [
        (
            WaitingPart(cause=WaitCause.QUESTION, detail="Tabs or blanks?", choices=("tabs", "blanks")),
            [
                "US-001 asks: Tabs or blanks?",
                "  [1] tabs",
                "  [2] blanks",
                'next: shiftwork answer US-001 "…"    (or the number of an option)',
            ],
        ),
        (
            WaitingPart(cause=WaitCause.QUESTION, detail="A name?"),
            ["US-001 asks: A name?", 'next: shiftwork answer US-001 "…"'],
        ),
        (
            WaitingPart(cause=WaitCause.APPROVAL, detail="may it land?"),
            [
                "US-001 needs your approval: may it land?",
                "next: shiftwork diff US-001    (look at it first)",
                "      shiftwork approve US-001",
                "      or: shiftwork reject US-001 --because …",
            ],
        ),
    ],
    ids=["options", "free text", "approval"],
)
def test_a_question_is_shown_whole_with_the_commands_that_answer_it(waiting: WaitingPart, shown: list[str]) -> None:
    view = RunView(run=run_row("r1"), activity=Activity.WAITING, worker=None, stories=())
    assert list(question_lines(view, replace(story_row("r1", "US-001"), waiting=waiting))) == shown
