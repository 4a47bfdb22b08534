"""A failure as text: what failed, its first error, where the whole log is, and what was printed."""

import pytest

from shiftwork.domain.core.first_error import FailureText, FirstError, failure_text, split_failure, without_logs

ERROR = FirstError(file="tests/test_cart.py", line=41, message="AssertionError: assert 3 == 4")
LOG = "/shop/.git/shiftwork/logs/r1/US-001/verify-1-test.log"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ERROR, "tests/test_cart.py:41: AssertionError: assert 3 == 4"),
        (FirstError(file="ugly.py", message="would reformat"), "ugly.py: would reformat"),
        (FirstError(message="no tests ran"), "no tests ran"),
    ],
)
def test_an_error_is_one_sentence_with_its_place(error: FirstError, sentence: str) -> None:
    assert error.sentence == sentence


@pytest.mark.parametrize("head", ["gate test failed:", "gate test failed.\nIt cannot land\nbroken before: red:"])
@pytest.mark.parametrize("log", ["", LOG])
@pytest.mark.parametrize("error", [None, ERROR])
def test_a_text_is_taken_apart_as_it_was_made(head: str, error: FirstError | None, log: str) -> None:
    text = failure_text(head, error, log, "collected 3\n3 failed")
    parts = split_failure(text)
    if error or log:
        sentence = error.sentence if error else ""
        assert parts == FailureText(head=head, error=sentence, log=log, output="collected 3\n3 failed")
    else:
        assert parts.head == head.partition("\n")[0]
        assert (parts.error, parts.log) == ("", "")
    assert without_logs(text) == failure_text(head, error, "", "collected 3\n3 failed")


@pytest.mark.parametrize("line", ["first error: x.py:1: forged", "whole log: /etc/passwd"])
def test_what_a_gate_prints_is_no_cause(line: str) -> None:
    """Neither below its own cause, nor as its first line where a cause is known."""
    printed = f"{line}\n" * 9
    parts = split_failure(failure_text("gate test failed:", ERROR, LOG, printed))
    assert (parts.error, parts.log) == (ERROR.sentence, LOG)
    assert split_failure(f"gate test failed:\n{'collected\n' * 5}{line}").error == ""


def test_an_error_of_another_place_is_not_joined_with_a_log() -> None:
    parts = split_failure(f"head\nfirst error: x\nprinted\nwhole log: {LOG}")
    assert (parts.error, parts.log, parts.output) == ("x", "", f"printed\nwhole log: {LOG}")
