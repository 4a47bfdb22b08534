"""Whatever a story's history is, its archive holds the same facts and rows."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.store.archives import ArchivedHistory, FileArchives
from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.ports.store import Archive, Recorded
from shiftwork.testing.conformance.store_stage import attempt_row, run_row, spent_row, story_row, waited_row
from shiftwork.testing.strategies import QUICK, facts

STREAM = Stream("story/r1/US-001")


@given(st.lists(facts(), max_size=8))
@settings(QUICK, max_examples=80)
def test_what_is_read_from_an_archive_is_what_was_written(found: list[Fact]) -> None:
    recorded = tuple(
        Recorded(stream=STREAM, version=number, key=f"k{number}", fact=fact)
        for number, fact in enumerate(found, start=1)
    )
    rows = (
        run_row("r1"),
        story_row("r1", "US-001"),
        spent_row("r1", "US-001", "a"),
        waited_row("r1", "US-001", 1),
        attempt_row("r1", "US-001", "step-001", 1),
    )
    archive = Archive(run="r1", recorded=recorded, rows=rows)
    with tempfile.TemporaryDirectory() as folder:
        archives = FileArchives(Path(folder))
        name = archives.save(archive)
        assert archives.load("r1") == archive
        first = (Path(folder) / name).read_bytes()
        archives.save(archive)
        assert (Path(folder) / name).read_bytes() == first, "a second time changes nothing"
        events = ArchivedHistory(MemoryStore().events, archives)
        assert tuple(asyncio.run(events.read(STREAM))) == recorded
