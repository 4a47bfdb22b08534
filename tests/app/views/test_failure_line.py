"""A failure on one line: its cause first, then the line that says why."""

import pytest

from shiftwork.app.views.text.failure_line import on_one_line, reason_of


@pytest.mark.parametrize(
    ("failure", "shown"),
    [
        ("", ""),
        ("conflict markers are still in calc.py", "conflict markers are still in calc.py"),
        ("gate test failed:\nAssertionError: 1 != 2", "gate test failed: AssertionError: 1 != 2"),
        (
            "ended with exit code 3\nlast output: fake agent\n1/2 thinking\n2/2 cannot reach the model",
            "ended with exit code 3; last output: 2/2 cannot reach the model",
        ),
        (
            "no summary\nError: the file is empty\nlast output: done",
            "no summary: Error: the file is empty",
        ),
    ],
)
def test_the_cause_comes_first_and_at_most_one_line_of_output_follows(failure: str, shown: str) -> None:
    assert on_one_line(failure) == shown


def test_the_reason_below_the_cause_is_the_last_line_of_an_agent_s_output() -> None:
    assert reason_of("ended with exit code 3\nlast output: 1/2 thinking\n2/2 done") == "last output: 2/2 done"
    assert reason_of("ended with exit code 3") == ""
