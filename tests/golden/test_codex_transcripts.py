"""What the real Codex printed, as `scripts/record_codex.py` recorded it, is read as what had happened."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from shiftwork.adapters.agents._codex_events import CodexTranscript
from shiftwork.domain.model.usage import NOTHING_USED, Usage
from shiftwork.ports.agent import Ending

TRANSCRIPTS = Path(__file__).parent / "transcripts" / "codex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The report, its detail by how it begins; and the kinds of events, in order."""

    exit_code: int
    ending: Ending
    kinds: str
    answer: str = ""
    detail: str = ""
    usage: Usage = NOTHING_USED


EXPECTED = {
    "ok": Expected(
        exit_code=0,
        ending=Ending.FINISHED,
        answer="SUMMARY: done",
        usage=Usage(input_tokens=1007 + 1603, output_tokens=42),
        kinds="started text tool_start tool_end tool_start tool_end text usage final",
    ),
    "toolbox": Expected(
        exit_code=0,
        ending=Ending.FINISHED,
        answer="Noted.",
        usage=Usage(input_tokens=200, output_tokens=40),
        kinds="started tool_start tool_end text usage final",
    ),
    "rate_limited": Expected(
        exit_code=1,
        ending=Ending.RATE_LIMITED,
        detail="exceeded retry limit, last status: 429",
        kinds="started rate_limit usage final",
    ),
    "used_up": Expected(exit_code=1, ending=Ending.RATE_LIMITED, detail="You", kinds="started rate_limit usage final"),
    "dropped_once": Expected(
        exit_code=0,
        ending=Ending.FINISHED,
        answer="Done.",
        usage=Usage(input_tokens=100, output_tokens=20),
        kinds="started retry text usage final",
    ),
    "overloaded": Expected(
        exit_code=1,
        ending=Ending.API_ERROR,
        detail="unexpected status 529",
        kinds="started retry usage final",
    ),
    "unauthorized": Expected(
        exit_code=1,
        ending=Ending.API_ERROR,
        detail="unexpected status 401 Unauthorized: invalid key",
        kinds="started retry usage final",
    ),
    "killed": Expected(
        exit_code=-9, ending=Ending.CRASHED, detail="ended by SIGKILL and said nothing", kinds="started"
    ),
    "interrupted": Expected(
        exit_code=1, ending=Ending.CRASHED, detail="ended with exit code 1", kinds="started tool_start"
    ),
}


def test_every_recording_is_expected_to_mean_something() -> None:
    assert {path.stem for path in TRANSCRIPTS.glob("*.jsonl")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recording_is_read_as_what_happened(name: str) -> None:
    expected, transcript = EXPECTED[name], CodexTranscript()
    lines = (TRANSCRIPTS / f"{name}.jsonl").read_bytes().splitlines()
    events = [event for line in lines for event in transcript.feed(line)]
    report = transcript.verdict(expected.exit_code, "")
    assert [str(event.kind) for event in events] == expected.kinds.split()
    assert (report.ending, report.answer, report.usage) == (expected.ending, expected.answer, expected.usage)
    assert report.detail.startswith(expected.detail)
    assert bool(report.detail) == bool(expected.detail)
