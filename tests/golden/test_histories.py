"""Histories that earlier releases have written are still read, and still come to the same end."""

import json
from pathlib import Path
from typing import Any

import pytest

from shiftwork.domain.codec import KINDS
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.landing.state import QueueState
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryState
from shiftwork.testing.builders import fold_queue, fold_run, fold_story
from shiftwork.testing.histories import differences, facts_of, snapshot

HISTORIES = sorted((Path(__file__).parent / "histories").glob("*.json"))
STREAMS = [
    pytest.param(stream, recorded, id=f"{path.stem}:{stream}")
    for path in HISTORIES
    for stream, recorded in json.loads(path.read_text(encoding="utf-8")).items()
]


def folded(stream: str, facts: list[Fact]) -> Any:
    match stream.partition("/")[0]:
        case "run":
            return fold_run(RunState(), *facts)
        case "story":
            return fold_story(StoryState(), *facts)
        case _:
            return fold_queue(QueueState(), *facts)


@pytest.mark.parametrize(("stream", "recorded"), STREAMS)
def test_a_recorded_history_folds_to_its_recorded_state(stream: str, recorded: dict[str, Any]) -> None:
    present = snapshot(folded(stream, facts_of(recorded["facts"])))
    assert differences(recorded["state"], present) == []


def test_every_kind_of_fact_has_been_recorded() -> None:
    """A new kind needs a recorded history before it is released: see scripts/record_histories.py."""
    rows = [row["kind"] for path in HISTORIES for s in json.loads(path.read_text()).values() for row in s["facts"]]
    assert set(rows) == KINDS.keys()


def test_a_state_that_came_out_otherwise_is_noticed() -> None:
    assert differences({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}], "new": 4}) == [".a[1].b: recorded 2, now 3"]
    assert differences({"a": [1]}, {"a": [1, 2]}) == [".a: recorded [1], now [1, 2]"]
    assert differences({"a": 1}, {}) == [".a: recorded 1, now '(gone)'"]
