"""No output or session file of Codex makes reading raise, and the result contains no more than Codex said."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.agents._codex_events import CodexTranscript
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.ports.agent import AgentEvent, AgentReport, Ending, EventKind
from tests.properties.any_json import TEXTS, any_json

KEYS = st.sampled_from(
    (
        *("type", "thread_id", "item", "id", "text", "message", "error", "usage", "input_tokens", "output_tokens"),
        *(
            "command",
            "aggregated_output",
            "changes",
            "path",
            "kind",
            "server",
            "tool",
            "arguments",
            "result",
            "content",
        ),
        *("payload", "rate_limits", "primary", "secondary", "used_percent", "resets_at", "codex_error_info", "status"),
        *("thread_settings", "model", "http_status_code"),
    )
)
TYPES = st.sampled_from(
    (
        *("thread.started", "turn.started", "item.started", "item.completed", "error", "turn.completed", "turn.failed"),
        *("agent_message", "reasoning", "command_execution", "file_change", "mcp_tool_call", "web_search", "todo_list"),
        *("token_count", "task_complete", "thread_settings_applied", "usage_limit_exceeded"),
        "exceeded retry limit, last status: 429 Too Many Requests",
    )
)
JSON = any_json(KEYS, TYPES)
EVENTS = st.builds(lambda event, kind: event | {"type": kind}, st.dictionaries(KEYS, JSON, max_size=8), TYPES | JSON)
LINES = st.binary() | EVENTS.map(lambda event: json.dumps(event).encode())
KEPT = LINES | EVENTS.map(lambda event: json.dumps({"payload": event}).encode())


@settings(deadline=None)  # machines under load are slow now and then
@given(lines=st.lists(LINES, max_size=8), kept=st.lists(KEPT, max_size=6), exit_code=st.integers(), stderr=TEXTS)
def test_nothing_that_may_be_printed_or_kept_raises(
    lines: list[bytes], kept: list[bytes], exit_code: int, stderr: str
) -> None:
    transcript = CodexTranscript()
    events = [event for line in lines for event in transcript.feed(line)]
    transcript.feed_session(kept)
    report = transcript.verdict(exit_code, stderr)
    for text in (*(event.text + event.tool for event in events), report.answer, report.detail, report.model):
        text.encode()
        assert "\0" not in text
    assert min(report.usage.input_tokens, report.usage.output_tokens) >= 0
    assert report.usage.cost_usd is None, "Codex reports no cost, and unknown is not zero"
    if report.ending is not Ending.FINISHED:
        assert (report.answer, bool(report.detail)) == ("", True)
    if report.ending is not Ending.RATE_LIMITED:
        assert report.resets_at is None
    if not any(event.kind is EventKind.FINAL for event in events):
        assert report.ending in {Ending.CRASHED, Ending.RATE_LIMITED}


def read(*events: dict[str, Any], kept: tuple[dict[str, Any], ...] = (), exit_code: int = 1) -> AgentReport:
    return outcome_of(*events, kept=kept, exit_code=exit_code)[1]


def outcome_of(
    *events: dict[str, Any], kept: tuple[dict[str, Any], ...] = (), exit_code: int = 1
) -> tuple[list[AgentEvent], AgentReport]:
    transcript = CodexTranscript()
    seen = [event for given_ in events for event in transcript.feed(json.dumps(given_).encode())]
    transcript.feed_session(json.dumps({"payload": payload}).encode() for payload in kept)
    return seen, transcript.verdict(exit_code, "some words")


def failed(message: str) -> dict[str, Any]:
    return {"type": "turn.failed", "error": {"message": message}}


def complaint(message: str) -> dict[str, Any]:
    return {"type": "error", "message": message}


DONE = {"type": "turn.completed", "usage": {"input_tokens": 3, "output_tokens": 2}}


@pytest.mark.parametrize(
    "message",
    [
        "exceeded retry limit, last status: 429 Too Many Requests",
        "You\N{RIGHT SINGLE QUOTATION MARK}ve hit your usage limit. Try again at 5:33 AM.",
        "You've hit your usage limit. Upgrade to Pro or try again later.",
        "rate limit exceeded: Rate limit reached. Please try again in 11s",
    ],
)
def test_what_codex_itself_calls_a_limit_is_one(message: str) -> None:
    assert read(failed(message)).ending is Ending.RATE_LIMITED


@pytest.mark.parametrize(
    "message",
    [
        "unexpected status 500 Internal Server Error: exceeded retry limit, last status: 429",
        '{"error": {"message": "You\'ve hit your usage limit"}}',
        "exceeded retry limit, last status: 4290",
        "Quota exceeded. Check your plan and billing details.",
        "Selected model is at capacity. Please try a different model.",
    ],
)
def test_what_others_say_about_limits_is_none(message: str) -> None:
    assert read(failed(message)).ending is Ending.API_ERROR


@pytest.mark.parametrize(
    ("typed", "ending"),
    [
        ("usage_limit_exceeded", Ending.RATE_LIMITED),
        ({"response_too_many_failed_attempts": {"http_status_code": 429}}, Ending.RATE_LIMITED),
        ({"response_too_many_failed_attempts": {"http_status_code": 500}}, Ending.API_ERROR),
        ({"http_connection_failed": {"http_status_code": 529}}, Ending.OVERLOADED),
        ("server_overloaded", Ending.OVERLOADED),
        (None, Ending.API_ERROR),
    ],
)
def test_the_session_file_has_the_kind_of_an_error(typed: object, ending: Ending) -> None:
    kept = {"type": "task_complete", "error": {"codex_error_info": typed}}
    assert read(failed("in words of tomorrow"), kept=(kept,)).ending is ending


@pytest.mark.parametrize(
    ("primary", "secondary", "resets_at"),
    [((100.0, 50), (20.0, 90), 50), ((100.0, 50), (100.0, 90), 90), ((99.0, 50), (20.0, 90), None)],
)
def test_work_continues_when_all_that_is_used_up_begins_again(
    primary: tuple[float, int], secondary: tuple[float, int], resets_at: int | None
) -> None:
    windows = {
        name: {"used_percent": used, "resets_at": end}
        for name, (used, end) in (("primary", primary), ("secondary", secondary))
    }
    kept = {"type": "token_count", "rate_limits": windows}
    assert read(failed("You've hit your usage limit."), kept=(kept,)).resets_at == resets_at


def test_a_limit_that_is_waited_for_is_one_until_work_continues() -> None:
    waiting = complaint("Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)")
    assert read(waiting, exit_code=-2).ending is Ending.RATE_LIMITED
    assert read(waiting, {"type": "turn.started"}, exit_code=-2).ending is Ending.CRASHED
    assert read(waiting, complaint("Reconnecting... 2/5 (Connection failed)"), exit_code=-2).ending is Ending.CRASHED


def test_passing_trouble_and_the_last_word_are_distinguished() -> None:
    trouble = complaint("Reconnecting... 1/1 (stream disconnected before completion)")
    events, report = outcome_of(trouble, complaint("gone"), failed("gone"))
    assert [event.kind for event in events] == [EventKind.RETRY, EventKind.USAGE, EventKind.FINAL]
    assert (report.ending, report.detail) == (Ending.API_ERROR, "gone")


@pytest.mark.parametrize(
    ("exit_code", "ending"),
    [(0, Ending.FINISHED), (143, Ending.FINISHED), (-9, Ending.FINISHED), (1, Ending.CRASHED), (101, Ending.CRASHED)],
)
def test_after_a_good_end_only_the_agents_own_exit_code_counts(exit_code: int, ending: Ending) -> None:
    assert read(DONE, exit_code=exit_code).ending is ending


def test_the_model_is_known_from_the_session_file() -> None:
    kept = {"type": "thread_settings_applied", "thread_settings": {"model": "gpt-5.5"}}
    assert read(DONE, kept=(kept,), exit_code=0).model == "gpt-5.5"


REJECTED = r"""exec_command failed: CreateProcess { message: "Rejected(\"`touch a` rejected: forbidden\")" }"""


@pytest.mark.parametrize(
    ("output", "denials"),
    [(REJECTED, ("`touch a` rejected: forbidden",)), (f"Output:\n{REJECTED}", ()), (f"{REJECTED}\nand more", ())],
)
def test_what_the_users_rules_forbid_is_reported_and_what_only_quotes_it_is_not(
    output: str, denials: tuple[str, ...]
) -> None:
    kept = {"type": "function_call_output", "output": output}
    assert read(DONE, kept=(kept,), exit_code=0).denials == denials


def test_an_item_without_a_beginning_still_has_both_ends() -> None:
    item = {"id": "i", "type": "web_search", "query": "words", "status": "completed"}
    events, _ = outcome_of({"type": "item.completed", "item": item})
    assert [(event.kind, event.tool, event.text) for event in events] == [
        (EventKind.TOOL_START, "web_search", "words"),
        (EventKind.TOOL_END, "web_search", "completed"),
    ]


@given(counts=st.lists(st.integers(min_value=0, max_value=10**6), min_size=1, max_size=4))
def test_of_several_last_words_the_dearest_counts_whatever_their_order(counts: list[int]) -> None:
    done = (DONE | {"usage": {"input_tokens": number, "output_tokens": number}} for number in counts)
    assert read(*done, exit_code=0).usage == Usage(input_tokens=max(counts), output_tokens=max(counts))


def test_it_is_never_less_than_what_the_session_file_counts() -> None:
    kept = {"type": "token_count", "info": {"total_token_usage": {"input_tokens": 700, "output_tokens": 1}}}
    assert read(DONE, kept=(kept,), exit_code=0).usage == Usage(input_tokens=700, output_tokens=2)
    assert read(kept=(kept,)).usage == Usage(input_tokens=700, output_tokens=1, unpriced=1, uncounted=1), "or more"
    assert read().usage == NOTHING_USED


def test_who_was_refused_before_anything_was_asked_has_used_nothing() -> None:
    """Its session file counts as it goes. Taken for unknown, each look at a limit would be charged like an attempt."""
    refused = failed("exceeded retry limit, last status: 429 Too Many Requests")
    kept = {"type": "token_count", "info": {"total_token_usage": {"input_tokens": 700, "output_tokens": 1}}}
    assert read(refused).usage == Usage(cost_usd=0.0)
    assert read(refused, kept=(kept,)).usage == Usage(input_tokens=700, output_tokens=1)
    assert read(failed("the roof is on fire")).usage == NOTHING_USED, "after any other failure the usage is unknown"


def test_the_session_is_the_one_that_was_named_first() -> None:
    transcript = CodexTranscript()
    for name in ("own", "another"):
        transcript.feed(json.dumps({"type": "thread.started", "thread_id": name}).encode())
    assert transcript.thread == "own"


def test_a_last_word_that_was_spoilt_leaves_none_that_is_believed() -> None:
    transcript = CodexTranscript()
    for line in (json.dumps(DONE), "x" + json.dumps(DONE)):
        transcript.feed(line.encode())
    assert transcript.verdict(0, "").usage == NOTHING_USED
