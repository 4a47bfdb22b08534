"""What the real Claude Code printed, as `scripts/record_transcripts.py` recorded it, is read as what had happened."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from shiftwork.adapters.agents._claude_events import ClaudeTranscript
from shiftwork.domain.model.usage import NOTHING_USED, Usage
from shiftwork.ports.agent import AgentEvent, AgentReport, Ending, EventKind

TRANSCRIPTS = Path(__file__).parent / "transcripts"
MODEL = "claude-opus-5-5"
NOTHING_PAID = Usage(cost_usd=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The report, its detail by how it begins; and the kinds of events, in order."""

    exit_code: int
    ending: Ending
    kinds: str
    answer: str = ""
    detail: str = ""
    usage: Usage = NOTHING_USED
    denials: tuple[str, ...] = ()


EXPECTED = {
    "ok": Expected(
        exit_code=0,
        ending=Ending.FINISHED,
        answer="SUMMARY: done",
        usage=Usage(input_tokens=10 + 500 + 2600, output_tokens=42, cost_usd=0.0039),
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
        exit_code=-9, ending=Ending.CRASHED, detail="ended by SIGKILL and said nothing", kinds="started"
    ),
    "terminated": Expected(
        exit_code=143,
        ending=Ending.CRASHED,
        detail="ended by SIGTERM and said nothing",
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


def read(name: str, exit_code: int) -> tuple[list[AgentEvent], AgentReport]:
    transcript = ClaudeTranscript()
    lines = (TRANSCRIPTS / f"{name}.jsonl").read_bytes().splitlines()
    events = [event for line in lines for event in transcript.feed(line)]
    return events, transcript.verdict(exit_code, "")


def test_every_recording_is_expected_to_mean_something() -> None:
    assert {path.stem for path in TRANSCRIPTS.glob("*.jsonl")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recording_is_read_as_what_happened(name: str) -> None:
    expected = EXPECTED[name]
    events, report = read(name, expected.exit_code)
    assert [str(event.kind) for event in events] == expected.kinds.split()
    assert (report.ending, report.answer, report.denials) == (expected.ending, expected.answer, expected.denials)
    assert report.detail.startswith(expected.detail)
    assert bool(report.detail) == bool(expected.detail)
    assert report.usage.input_tokens == expected.usage.input_tokens
    assert report.usage.output_tokens == expected.usage.output_tokens
    assert report.usage.cost_usd == pytest.approx(expected.usage.cost_usd)
    assert report.model == MODEL


def test_tool_ends_are_told_with_the_names_of_their_tools() -> None:
    events, _ = read("ok", 0)
    told = [(event.kind, event.tool) for event in events if event.tool]
    assert told == [
        (EventKind.TOOL_START, "Write"),
        (EventKind.TOOL_START, "Bash"),
        (EventKind.TOOL_END, "Write"),
        (EventKind.TOOL_END, "Bash"),
    ]


@pytest.mark.parametrize("name", EXPECTED)
def test_recordings_hold_nothing_of_the_machine_they_were_made_on(name: str) -> None:
    text = (TRANSCRIPTS / f"{name}.jsonl").read_text()
    assert "/root" not in text
    assert "/home/" not in text.replace("/attempt/home/", "")
    assert "/tmp" not in text.replace("/attempt/home/tmp", "")  # noqa: S108 - a text looked for, not a path used
