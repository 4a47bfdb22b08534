"""Compares the output of real agents, as `scripts/record_*.py` recorded it, with what had happened."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents._driver import Transcript
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.ports.agent import AgentEvent, AgentReport, Ending

TRANSCRIPTS = Path(__file__).parent / "transcripts"


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
    model: str = ""


def names(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.jsonl")}


def read(transcript: Transcript, recording: Path, exit_code: int) -> tuple[list[AgentEvent], AgentReport]:
    events = [event for line in recording.read_bytes().splitlines() for event in transcript.feed(line)]
    return events, transcript.verdict(exit_code, "")


def assert_read_as(expected: Expected, transcript: Transcript, recording: Path) -> None:
    events, report = read(transcript, recording, expected.exit_code)
    assert [str(event.kind) for event in events] == expected.kinds.split()
    assert (report.ending, report.answer, report.denials) == (expected.ending, expected.answer, expected.denials)
    assert report.detail.startswith(expected.detail)
    assert bool(report.detail) == bool(expected.detail)
    assert replace(report.usage, cost_usd=None) == replace(expected.usage, cost_usd=None)
    assert report.usage.cost_usd == pytest.approx(expected.usage.cost_usd)
    assert report.model == expected.model


def assert_holds_nothing_of_its_machine(recording: Path) -> None:
    text = recording.read_text()
    assert "/root" not in text
    assert "/home/" not in text.replace("/attempt/home/", "")
    assert "/tmp" not in text.replace("/attempt/home/tmp", "")  # noqa: S108 - a text looked for, not a path used
    assert "-tmp-" not in text, "the folder that an agent names after the one it works in"
