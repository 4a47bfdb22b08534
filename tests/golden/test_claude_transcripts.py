"""The recorded output of the real Claude Code (`scripts/record_claude.py`) is read as what had happened."""

from dataclasses import replace

import pytest

from shiftwork.adapters.agents._claude_events import ClaudeTranscript
from shiftwork.domain.usage.usage import Usage
from shiftwork.ports.agent import Ending, EventKind
from tests.golden.recordings import (
    TRANSCRIPTS,
    Expected,
    assert_holds_nothing_of_its_machine,
    assert_read_as,
    names,
    read,
)

NOTHING_PAID = Usage(cost_usd=0.0)


EXPECTED = {
    "ok": Expected(
        exit_code=0,
        ending=Ending.FINISHED,
        answer="SUMMARY: done",
        usage=Usage(input_tokens=10 + 500 + 2600, output_tokens=42, cost_usd=0.0039, cached_tokens=2600),
        kinds="started text tool_start tool_start tool_end tool_end text usage final",
    ),
    "rate_limited": Expected(
        exit_code=1,
        ending=Ending.RATE_LIMITED,
        detail="api_error: API Error: Request rejected (429)",
        usage=NOTHING_PAID,
        kinds="started text usage final",
    ),
    "overloaded_once": Expected(
        exit_code=0,
        ending=Ending.FINISHED,
        answer="Done.",
        usage=Usage(input_tokens=100, output_tokens=20, cost_usd=0.0008),
        kinds="started retry text usage final",
    ),
    "overloaded": Expected(
        exit_code=1,
        ending=Ending.OVERLOADED,
        detail="api_error: API Error: 529",
        usage=NOTHING_PAID,
        kinds="started retry retry text usage final",
    ),
    "unauthorized": Expected(
        exit_code=1,
        ending=Ending.API_ERROR,
        detail="api_error: Invalid API key",
        usage=NOTHING_PAID,
        kinds="started retry retry text usage final",
    ),
    "killed": Expected(
        exit_code=-9, ending=Ending.CRASHED, detail="ended by SIGKILL before its answer was complete", kinds="started"
    ),
    "terminated": Expected(
        exit_code=143,
        ending=Ending.CRASHED,
        detail="ended by SIGTERM before its answer was complete",
        usage=Usage(input_tokens=100, output_tokens=1, unpriced=1, uncounted=1),
        kinds="started tool_start tool_end",
    ),
    "interrupted": Expected(
        exit_code=0,
        ending=Ending.CRASHED,
        detail="aborted_tools: ",
        usage=Usage(input_tokens=100, output_tokens=20, cost_usd=0.0008),
        kinds="started tool_start tool_end usage final",
    ),
    "max_turns": Expected(
        exit_code=1,
        ending=Ending.CRASHED,
        detail="max_turns: Reached maximum number of turns (1)",
        usage=Usage(input_tokens=100, output_tokens=20, cost_usd=0.0008),
        kinds="started tool_start tool_end usage final",
    ),
    "denied": Expected(
        exit_code=0,
        ending=Ending.FINISHED,
        answer="I may not.",
        denials=("Bash",),
        usage=Usage(input_tokens=200, output_tokens=40, cost_usd=0.0016),
        kinds="started tool_start tool_end text usage final",
    ),
    "toolbox_dead": Expected(
        exit_code=0,
        ending=Ending.FINISHED,
        answer="No tools.",
        detail="tools that did not start: shiftwork",
        usage=Usage(input_tokens=200, output_tokens=40, cost_usd=0.0016),
        kinds="started tool_start tool_end text usage final",
    ),
}


def test_every_recording_is_expected_to_mean_something() -> None:
    assert names(TRANSCRIPTS) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recording_is_read_as_what_happened(name: str) -> None:
    expected = replace(EXPECTED[name], model="claude-opus-5-5")
    assert_read_as(expected, ClaudeTranscript(), TRANSCRIPTS / f"{name}.jsonl")


def test_tool_ends_are_reported_with_the_names_of_their_tools() -> None:
    events, _ = read(ClaudeTranscript(), TRANSCRIPTS / "ok.jsonl", 0)
    lines = [(event.kind, event.tool) for event in events if event.tool]
    assert lines == [
        (EventKind.TOOL_START, "Write"),
        (EventKind.TOOL_START, "Bash"),
        (EventKind.TOOL_END, "Write"),
        (EventKind.TOOL_END, "Bash"),
    ]


@pytest.mark.parametrize("name", EXPECTED)
def test_recordings_hold_nothing_of_the_machine_they_were_made_on(name: str) -> None:
    assert_holds_nothing_of_its_machine(TRANSCRIPTS / f"{name}.jsonl")
