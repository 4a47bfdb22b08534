"""The recorded output of the real Codex (`scripts/record_codex.py`) is read as what had happened."""

import pytest

from shiftwork.adapters.agents._codex_events import CodexTranscript
from shiftwork.domain.usage.usage import Usage
from shiftwork.ports.agent import Ending
from tests.golden.recordings import (
    TRANSCRIPTS,
    Expected,
    assert_holds_nothing_of_its_machine,
    assert_read_as,
    names,
)

RECORDINGS = TRANSCRIPTS / "codex"

EXPECTED = {
    "ok": Expected(
        exit_code=0,
        ending=Ending.FINISHED,
        answer="SUMMARY: done",
        usage=Usage(input_tokens=1007 + 1603, output_tokens=42, cached_tokens=2600),
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
        usage=Usage(cost_usd=0.0),
        kinds="started rate_limit usage final",
    ),
    "used_up": Expected(
        exit_code=1,
        ending=Ending.RATE_LIMITED,
        detail="You",
        usage=Usage(cost_usd=0.0),
        kinds="started rate_limit usage final",
    ),
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
        exit_code=-9, ending=Ending.CRASHED, detail="ended by SIGKILL before its answer was complete", kinds="started"
    ),
    "interrupted": Expected(
        exit_code=1, ending=Ending.CRASHED, detail="ended with exit code 1", kinds="started tool_start"
    ),
}


def test_every_recording_is_expected_to_mean_something() -> None:
    assert names(RECORDINGS) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recording_is_read_as_what_happened(name: str) -> None:
    assert_read_as(EXPECTED[name], CodexTranscript(), RECORDINGS / f"{name}.jsonl")


@pytest.mark.parametrize("name", EXPECTED)
def test_recordings_hold_nothing_of_the_machine_they_were_made_on(name: str) -> None:
    assert_holds_nothing_of_its_machine(RECORDINGS / f"{name}.jsonl")
