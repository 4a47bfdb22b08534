"""Histories written by earlier releases can still be read, and still reach the same end."""

import json
from pathlib import Path
from typing import Any

import pytest

from shiftwork.app.folds import LANDING
from shiftwork.domain.codec import KINDS
from shiftwork.domain.core.plain import to_plain
from shiftwork.domain.landing.state import QUEUE_FORMAT
from shiftwork.testing.histories import differences, facts_of, result_of

HISTORIES = sorted((Path(__file__).parent / "histories").glob("*.json"))
STREAMS = [
    pytest.param(stream, recorded, id=f"{path.stem}:{stream}")
    for path in HISTORIES
    for stream, recorded in json.loads(path.read_text(encoding="utf-8")).items()
]


@pytest.mark.parametrize(("stream", "recorded"), STREAMS)
def test_a_recorded_history_leads_to_its_recorded_effects_and_rows(stream: str, recorded: dict[str, Any]) -> None:
    present = result_of(stream, facts_of(recorded["facts"]))
    assert differences({key: recorded[key] for key in ("due", "effects", "rows")}, present) == []


OWED = {
    "name": "api",
    "landed": [{"run": "r1", "story": "US-001", "base": "base-1", "commit": "commit-1@16ce0d63"}],
    "red": "tip",
    "culprit": {"run": "r1", "story": "US-001", "base": "base-1", "commit": "commit-1@16ce0d63"},
}
QUEUES = {
    (1, "v1-happy"): {"cursor": 1, "batch": 1, "recent": [True]},
    (1, "v1-repaired"): {"cursor": 3, "batch": 4, "recent": [True, False]},
    (1, "v1-withdrawn"): {"cursor": 8, "batch": 5, "recent": [True, True]},
    (2, "v1-happy"): {"cursor": 1, "batch": 1, "recent": [True], "owed": []},
    (2, "v1-repaired"): {"cursor": 3, "batch": 4, "recent": [True, False], "owed": []},
    (2, "v1-withdrawn"): {"cursor": 8, "batch": 5, "recent": [True, True], "owed": []},
    (2, "v3-dismissed"): {"cursor": 1, "batch": 1, "recent": [True], "owed": []},
    (2, "v2-owed"): {"cursor": 1, "batch": 1, "recent": [True], "owed": [OWED]},
    (3, "v1-happy"): {"cursor": 1, "batch": 1, "recent": [True], "owed": [], "closed": False, "verdicts": 1},
    (3, "v1-repaired"): {"cursor": 3, "batch": 4, "recent": [True, False], "owed": [], "closed": False, "verdicts": 2},
    (3, "v1-withdrawn"): {"cursor": 8, "batch": 5, "recent": [True, True], "owed": [], "closed": False, "verdicts": 1},
    (3, "v2-owed"): {"cursor": 1, "batch": 1, "recent": [True], "owed": [OWED], "closed": False, "verdicts": 1},
    (3, "v3-dismissed"): {"cursor": 1, "batch": 1, "recent": [True], "owed": [], "closed": False, "verdicts": 1},
    (3, "v3-joined"): {"cursor": 7, "batch": 2, "recent": [True], "owed": [], "closed": False, "verdicts": 0},
}
"""What the recorded landings lead to, by the format of snapshots."""


def test_a_snapshot_of_an_earlier_release_is_what_its_facts_lead_to() -> None:
    """If this fails, raise `QUEUE_FORMAT`: the snapshots in databases are no longer what the facts lead to."""
    shared = {"branch": "main", "entries": [], "policy": {"batch": 16, "at_once": 2, "proof": "each"}}
    for path in HISTORIES:
        (facts,) = (s["facts"] for name, s in json.loads(path.read_text()).items() if name.startswith("landing/"))
        queue = LANDING.fold(LANDING.start, facts_of(facts))
        assert to_plain(queue) == {**shared, **QUEUES[QUEUE_FORMAT, path.stem]}


def test_every_kind_of_fact_has_been_recorded() -> None:
    """A new kind needs a recorded history before it is released: see scripts/record_histories.py."""
    rows = [row["kind"] for path in HISTORIES for s in json.loads(path.read_text()).values() for row in s["facts"]]
    assert set(rows) == KINDS.keys()


def test_a_result_that_came_out_otherwise_is_noticed() -> None:
    assert differences({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}], "new": 4}) == [".a[1].b: recorded 2, now 3"]
    assert differences({"a": [1]}, {"a": [1, 2]}) == [".a: recorded [1], now [1, 2]"]
    assert differences({"a": 1}, {}) == [".a: recorded 1, now '(gone)'"]
