"""What happened in a run, in sentences: every page once, the newest first, of a run or of one story."""

import asyncio

import pytest

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.views.documents.document import to_json
from shiftwork.app.views.documents.served.activity_document import ActivityEntry, ActivityPart, activity_entry
from shiftwork.app.views.feed.activity_reader import Wanted, place_of, read_activity
from shiftwork.app.views.gate_history import gate_checks
from shiftwork.app.views.live.board import Change
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import RunId, StoryId, run_stream
from shiftwork.domain.landing.facts import CandidateVerified
from shiftwork.domain.run import facts as run_facts
from shiftwork.testing.builders import BASE, LANDING, RUN, gate_report
from tests.app.full_history import account_of
from tests.json_documents import check

LATER = 4_000_000_000


@pytest.fixture(scope="module")
def store() -> MemoryStore:
    made = MemoryStore()
    asyncio.run(account_of(made))
    return made


def part_of(store: MemoryStore, wanted: Wanted) -> ActivityPart:
    found = asyncio.run(read_activity(store.queries, store.events, wanted))
    check(to_json(found))
    return found


def all_parts(store: MemoryStore, limit: int, story: str = "") -> list[ActivityEntry]:
    found: list[ActivityEntry] = []
    before = None
    while True:
        part = part_of(store, Wanted(run=RUN, story=story, before=before, limit=limit))
        found += part.entries
        if part.next_before is None:
            return found
        before = place_of(part.next_before)


@pytest.mark.parametrize("story", ["", "US-001", "US-002"])
def test_pages_of_any_size_have_the_same_changes_in_order(store: MemoryStore, story: str) -> None:
    whole = all_parts(store, 500, story)
    assert [entry.time for entry in whole] == sorted((entry.time for entry in whole), reverse=True)
    assert len(whole) > 5
    assert [all_parts(store, limit, story) for limit in (1, 3, len(whole))] == [whole] * 3


def test_a_story_has_its_steps_its_gates_and_its_landing_in_words(store: MemoryStore) -> None:
    said = [entry.text for entry in all_parts(store, 500, "US-001")]
    assert said[-1] == "workspace ready"
    assert "coding begins" in said
    assert "landing refused, they clash" in said
    assert any(text.startswith("gates: ") for text in said)
    assert any(text.startswith("landed on main") for text in said)
    assert {entry.story for entry in all_parts(store, 500, "US-001")} == {"US-001"}


def test_a_run_has_its_own_changes_and_those_of_its_stories(store: MemoryStore) -> None:
    whole = all_parts(store, 500)
    assert {entry.story for entry in whole} == {None, "US-001", "US-002", "US-004"}
    assert "run_started" in {entry.kind for entry in whole}


def test_a_long_landing_queue_is_read_from_its_end_and_only_what_it_says_of_the_run() -> None:
    made = MemoryStore()
    asyncio.run(account_of(made))
    before = all_parts(made, 500)
    verified = [
        CandidateVerified(at=at, request=request, report=gate_report(BASE))
        for at in (LATER, LATER + 1)
        for request in (f"x{RUN}/US-001/1", f"{RUN}/US-001/1")
    ]
    queue = (*verified[:2], *(MessagesRead(at=LATER, upto=number) for number in range(1000)), *verified[2:])
    unmarked = run_facts.SpecUpdated(at=LATER, stories=())

    async def write() -> None:
        for stream, facts in ((LANDING, queue), (run_stream(RUN), (unmarked,))):
            version = await made.events.version(stream)
            await made.events.append(stream, facts, expected=version, key="later")

    asyncio.run(write())
    whole = all_parts(made, 500)
    assert [entry.text for entry in whole[2:]] == [entry.text for entry in before]
    assert {(entry.story, entry.text[:6]) for entry in whole[:2]} == {("US-001", "gates:")}
    assert all_parts(made, 1) == whole
    assert len(all_parts(made, 500, "US-001")) == 2 + sum(entry.story == "US-001" for entry in before)
    checks = asyncio.run(gate_checks(made.events, LANDING, RUN, "US-001"))
    assert set(checks) == {"US-001"}
    assert [check.at for check in checks[StoryId("US-001")]][-2:] == [LATER, LATER + 1]


def test_nothing_has_happened_in_an_unknown_run(store: MemoryStore) -> None:
    assert part_of(store, Wanted(run=RunId("r9"))).entries == []


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            Change(at=1, event="step_started", name="coding", attempt=2, text="codex"),
            "coding begins (attempt 2): codex",
        ),
        (Change(at=1, event="run_ended", text="completed"), "the run has ended"),
        (Change(at=1, event="repair_planned", text="Repair it"), "sent back to repair it"),
        (Change(at=1, event="step_failed", name="coding", text="it broke:\nAssertionError: 1"), None),
        (Change(at=1, event="landed", text="main", proof=", proved"), "landed on main, proved"),
    ],
)
def test_a_sentence_names_the_step_and_what_was_said(change: Change, text: str | None) -> None:
    assert activity_entry(change).text == (text or "coding failed: it broke: AssertionError: 1")
