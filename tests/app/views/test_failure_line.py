"""A failure on one line: its cause first, then the line that says why."""

import pytest

from shiftwork.app.commands.explain_gate import red_reason
from shiftwork.app.runtime.context import Sighting
from shiftwork.app.views.documents.gate_records import ErrorPlace, outcome
from shiftwork.app.views.live.board import Board
from shiftwork.app.views.run_views import reason
from shiftwork.app.views.text.failure_line import failure_parts, gate_cause, gate_failure, on_one_line, reason_of
from shiftwork.domain.core.first_error import FirstError
from shiftwork.domain.core.ids import Commit, landing_stream
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.domain.landing.facts import CandidateFailed
from shiftwork.ports.rows.row_parts import WaitCause, WaitingPart
from shiftwork.records import replace
from shiftwork.testing.conformance.store_stage import story_row


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
            "gate test failed:\nfirst error: cart.py:3: broken\nwhole log: /logs/test.log\ncollected 3\nE assert 1",
            "gate test failed: cart.py:3: broken",
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


ERROR = FirstError(file="cart.py", line=3, message="broken")
RED = GateResult(name="test", passed=False, seconds=1.0, output="E assert 1", error=ERROR, log="/logs/test.log")


def test_one_sentence_says_everywhere_why_a_gate_is_red() -> None:
    assert red_reason(RED) == "cart.py:3: broken"
    assert red_reason(replace(RED, error=None, output="cart.py:9: error: worse")) == "cart.py:9: worse"
    shown = outcome(RED)
    assert (shown.first_error, shown.log) == (ErrorPlace(file="cart.py", line=3, message="broken"), "/logs/test.log")
    assert outcome(replace(RED, error=None)).first_error is None
    failed = CandidateFailed(at=1, request="r1/US-001/1", report=GateReport(commit=Commit("c"), results=(RED,)))
    change = Board().see(Sighting(stream=landing_stream("repository", "main"), what=failed))
    assert change is not None
    assert change.text == "test failed in 1.0 s: cart.py:3: broken"


def test_a_red_gate_is_a_text_that_is_taken_apart_again() -> None:
    parts = failure_parts(gate_failure("gate test failed:", RED))
    assert (parts.head, parts.error, parts.log) == ("gate test failed:", "cart.py:3: broken", "/logs/test.log")
    named = replace(RED, failed_tests=("test_a", "test_b"))
    assert gate_cause(named) == ("first error: cart.py:3: broken", "failed tests: test_a, test_b")
    assert gate_cause(replace(RED, error=None)) == ()


def test_a_question_has_the_first_error_and_not_what_the_gate_printed() -> None:
    detail = "step-002 check has used its rounds: gate test failed:\nfirst error: cart.py:3: broken\ncollected 3"
    waiting = WaitingPart(cause=WaitCause.EXHAUSTED, detail=detail)
    asked = reason(replace(story_row("r1", "US-001"), waiting=waiting))
    assert asked == "step-002 check has used its rounds: gate test failed: cart.py:3: broken"
