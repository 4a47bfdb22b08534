"""No output of an agent makes reading raise, and the result contains no more than the agent said."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.agents._claude_events import ClaudeTranscript
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.ports.agent import AgentReport, Ending, EventKind
from tests.properties.any_json import TEXTS, any_json

KEYS = st.sampled_from(
    (
        "type",
        "subtype",
        "message",
        "content",
        "usage",
        "result",
        "is_error",
        "api_error_status",
        "rate_limit_info",
        "resetsAt",
        "status",
        "name",
        "id",
        "input",
        "tool_use_id",
        "permission_denials",
        "errors",
        "terminal_reason",
        "total_cost_usd",
        "model",
        "mcp_servers",
        "input_tokens",
        "text",
    )
)
VALUES = st.sampled_from(
    (
        "system",
        "init",
        "api_retry",
        "assistant",
        "user",
        "result",
        "rate_limit_event",
        "success",
        "error_max_turns",
        "text",
        "tool_use",
        "tool_result",
        "rejected",
        "failed",
        "api_error",
    )
)
JSON = any_json(KEYS, VALUES)
EVENTS = st.dictionaries(KEYS, JSON, max_size=10)
TYPED = st.builds(
    lambda event, kind, subtype: event | {"type": kind, "subtype": subtype},
    EVENTS,
    st.sampled_from(("system", "assistant", "user", "result", "rate_limit_event")),
    st.sampled_from(("init", "api_retry", "success", "error_max_turns")) | JSON,
)
LINES = st.binary() | EVENTS.map(lambda event: json.dumps(event).encode()) | TYPED.map(lambda e: json.dumps(e).encode())


@settings(deadline=None)  # machines under load are slow now and then
@given(lines=st.lists(LINES, max_size=8), exit_code=st.integers(), stderr=TEXTS)
def test_nothing_that_may_be_printed_raises(lines: list[bytes], exit_code: int, stderr: str) -> None:
    transcript = ClaudeTranscript()
    reported = [event.text + event.tool for line in lines for event in transcript.feed(line)]
    report = transcript.verdict(exit_code, stderr)
    for text in (*reported, report.answer, report.detail, report.model, *report.denials):
        text.encode()
        assert "\0" not in text
    assert report.usage.input_tokens >= 0
    assert report.usage.output_tokens >= 0
    assert report.usage.cost_usd is None or 0 <= report.usage.cost_usd < float("inf")


@settings(deadline=None)  # machines under load are slow now and then
@given(lines=st.lists(LINES, max_size=8), exit_code=st.integers())
def test_only_a_successful_final_event_is_an_end_in_peace(lines: list[bytes], exit_code: int) -> None:
    transcript = ClaudeTranscript()
    finals = [event for line in lines for event in transcript.feed(line) if event.kind is EventKind.FINAL]
    report = transcript.verdict(exit_code, "")
    if not finals:
        assert report.ending is Ending.CRASHED
    if report.ending is not Ending.FINISHED:
        assert report.answer == ""
        assert report.detail
    if report.ending is not Ending.RATE_LIMITED:
        assert report.resets_at is None


def verdict(*events: dict[str, Any], exit_code: int = 1) -> AgentReport:
    transcript = ClaudeTranscript()
    for event in events:
        transcript.feed(json.dumps(event).encode())
    return transcript.verdict(exit_code, "some words")


def final(**changes: Any) -> dict[str, Any]:
    return {"type": "result", "subtype": "success", "is_error": False, "result": "Done."} | changes


def limit(status: str, resets_at: object) -> dict[str, Any]:
    return {"type": "rate_limit_event", "rate_limit_info": {"status": status, "resetsAt": resets_at}}


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500, 503, 529, None])
def test_errors_of_the_model_are_distinguished_from_rate_limits(status: int | None) -> None:
    failed = final(is_error=True, terminal_reason="api_error", api_error_status=status)
    assert verdict(failed).ending is (Ending.OVERLOADED if status in {503, 529} else Ending.API_ERROR)
    limited = verdict(limit("rejected", 1794700706), failed)
    assert (limited.ending, limited.resets_at) == (Ending.RATE_LIMITED, 1794700706.0)


def test_a_warning_before_a_429_still_reports_when_the_limit_ends() -> None:
    report = verdict(limit("allowed_warning", 1794700706), final(is_error=True, api_error_status=429))
    assert (report.ending, report.resets_at) == (Ending.RATE_LIMITED, 1794700706.0)


def test_a_warning_alone_limits_nothing() -> None:
    report = verdict(limit("allowed_warning", 1794700706), final(), exit_code=0)
    assert (report.ending, report.resets_at) == (Ending.FINISHED, None)


@pytest.mark.parametrize(
    ("exit_code", "ending"),
    [(0, Ending.FINISHED), (143, Ending.FINISHED), (-9, Ending.FINISHED), (1, Ending.CRASHED), (127, Ending.CRASHED)],
)
def test_after_a_good_end_only_the_agents_own_exit_code_counts(exit_code: int, ending: Ending) -> None:
    assert verdict(final(), exit_code=exit_code).ending is ending


def test_without_a_final_event_the_report_keeps_what_was_said_on_standard_error() -> None:
    report = verdict(exit_code=1)
    assert (report.ending, report.detail) == (Ending.CRASHED, "ended with exit code 1: some words")


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_a_line_nested_without_end_is_a_line_like_any_other(opening: str) -> None:
    assert tuple(ClaudeTranscript().feed(opening.encode() * 200_000)) == ()


def test_the_same_call_is_the_same_and_another_input_another() -> None:
    def called(name: str, **given: object) -> str:
        block = {"type": "tool_use", "id": "t", "name": name, "input": given}
        line = json.dumps({"type": "assistant", "message": {"content": [block]}}).encode()
        (event,) = ClaudeTranscript().feed(line)
        return event.call

    assert called("Bash", command="ls", a=1) == called("Bash", a=1, command="ls") != ""
    assert len({called("Bash", command="ls"), called("Bash", command="pwd"), called("Read", command="ls")}) == 3


COUNTS = st.integers(min_value=0, max_value=10**6)


def priced(tokens: int, cost: float) -> dict[str, Any]:
    return final(usage={"input_tokens": tokens, "output_tokens": tokens}, total_cost_usd=cost)


@given(text=st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=4))
def test_of_several_final_events_the_dearest_counts_whatever_their_order(text: list[tuple[int, int]]) -> None:
    used = verdict(*(priced(tokens, cost) for tokens, cost in text), exit_code=0).usage
    assert (used.input_tokens, used.cost_usd) == (max(tokens for tokens, _ in text), max(cost for _, cost in text))


def message(name: str, tokens: int) -> dict[str, Any]:
    return {"type": "assistant", "message": {"id": name, "usage": {"input_tokens": tokens, "output_tokens": 1}}}


def test_it_is_never_less_than_what_the_messages_add_up_to_each_counted_once() -> None:
    said = (message("a", 100), message("a", 100), message("b", 50))
    assert verdict(*said, priced(3, 0.1), exit_code=0).usage == Usage(input_tokens=150, output_tokens=3, cost_usd=0.1)
    assert verdict(*said).usage == Usage(input_tokens=150, output_tokens=2, unpriced=1, uncounted=1), "or more"
    assert verdict().usage == NOTHING_USED


def test_a_last_word_that_was_spoilt_leaves_none_that_is_believed() -> None:
    forged, own = (json.dumps(priced(*item)).encode() for item in ((1, 0.0001), (9, 5.0)))

    def used(*lines: bytes) -> Usage:
        transcript = ClaudeTranscript()
        for line in lines:
            transcript.feed(line)
        return transcript.verdict(0, "").usage

    assert used(forged, b"x" + own) == used(b"x" + own, forged) == used(forged, b"x" * 100) == NOTHING_USED
    assert used(b"a warning", own, b"", b" ").cost_usd == 5.0
