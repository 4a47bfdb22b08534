"""The words for a story that its live view and `status` share."""

from dataclasses import replace

import pytest

from shiftwork.entrypoints.cli.render.story_words import failed_in_short
from shiftwork.testing.conformance.store_stage import story_row


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
