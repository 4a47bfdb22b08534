"""What every event store must do."""

# ruff: noqa: S101 - suites use assert

import asyncio
import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import StepId, Stream
from shiftwork.domain.story.facts.steps import LoopBegun, NoteWritten
from shiftwork.errors import VersionConflictError
from shiftwork.ports.store import EventStore, Recorded
from shiftwork.ports.views import SnapshotRow
from shiftwork.records import dataclass, field
from shiftwork.testing.conformance.store_stage import (
    QUICK,
    Handle,
    Handles,
    awaited,
    run_row,
    texts,
    together,
)

fresh_numbers = itertools.count(1)


def fresh_stream() -> Stream:
    return Stream(f"story/r/{next(fresh_numbers)}")


def notes(*words: str) -> tuple[Fact, ...]:
    return tuple(NoteWritten(at=1.25 * number, by=StepId("step-001"), text=word) for number, word in enumerate(words))


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """An append of a generated history; `stale` is the error in its expected version."""

    key: str
    words: tuple[str, ...]
    stale: int


_attempts = st.builds(
    Attempt,
    key=st.sampled_from("abcdef"),
    words=st.lists(texts, min_size=1, max_size=3).map(tuple),
    stale=st.sampled_from((0, 0, 0, 1, -1)),
)


@dataclass(slots=True)
class Ledger:
    """A minimal model of the contract of `append`."""

    stream: Stream
    entries: list[Recorded] = field(default_factory=list)

    def append(self, facts: Sequence[Fact], expected: int, key: str) -> int | None:
        """The version, or None for a conflict."""
        held = [entry.version for entry in self.entries if entry.key == key]
        if held or len(self.entries) != expected:
            return held[-1] if held else None
        for fact in facts:
            self.entries.append(Recorded(stream=self.stream, version=len(self.entries) + 1, key=key, fact=fact))
        return len(self.entries)


async def _version_or_none(
    events: EventStore, stream: Stream, facts: Sequence[Fact], expected: int, key: str
) -> int | None:
    try:
        return await events.append(stream, facts, expected=expected, key=key)
    except VersionConflictError:
        return None


class EventStoreConformance:
    """Subclass it and define a fixture `handles`."""

    @pytest.fixture
    def store(self, handles: Handles) -> Handle:
        return handles()

    @QUICK
    @given(attempts=st.lists(_attempts, max_size=8), after=st.integers(0, 9), upto=st.none() | st.integers(0, 9))
    def test_a_stream_is_what_was_appended_in_turn(
        self, store: Handle, attempts: list[Attempt], after: int, upto: int | None
    ) -> None:
        asyncio.run(self._follow(store, attempts, after, upto))

    async def _follow(self, store: Handle, attempts: list[Attempt], after: int, upto: int | None) -> None:
        ledger = Ledger(fresh_stream())
        for attempt in attempts:
            facts, expected = notes(*attempt.words), len(ledger.entries) + attempt.stale
            number = await _version_or_none(store.events, ledger.stream, facts, expected, attempt.key)
            assert number == ledger.append(facts, expected, attempt.key)
        assert list(await store.events.read(ledger.stream)) == ledger.entries
        assert await store.events.version(ledger.stream) == len(ledger.entries)
        window = [e for e in ledger.entries if e.version > after and (upto is None or e.version <= upto)]
        assert list(await store.events.read(ledger.stream, after=after, upto=upto)) == window

    @awaited
    async def test_streams_and_keys_of_different_streams_are_apart(self, store: Handle) -> None:
        events = store.events
        stream, two = fresh_stream(), fresh_stream()
        assert await events.append(stream, notes("a"), expected=0, key="k") == 1
        assert await events.append(two, notes("b", "c"), expected=0, key="k") == 2
        assert await events.version(stream) == 1
        assert await events.version(two) == 2

    @awaited
    async def test_another_handle_sees_what_was_appended(self, handles: Handles) -> None:
        stream = fresh_stream()
        await handles().events.append(stream, notes("a"), expected=0, key="k")
        assert [entry.fact for entry in await handles().events.read(stream)] == list(notes("a"))

    @awaited
    async def test_some_kinds_of_facts_are_read_in_their_order(self, store: Handle) -> None:
        stream, read, other = fresh_stream(), MessagesRead(at=1, upto=1), MessagesRead(at=2, upto=2)
        await store.events.append(stream, (*notes("a"), read, *notes("b"), other), expected=0, key="k")

        async def found(*kinds: type[Fact], after: int = 0, upto: int | None = None) -> list[int]:
            return [entry.version for entry in await store.events.read(stream, after=after, upto=upto, kinds=kinds)]

        assert await found(MessagesRead) == [2, 4]
        assert await found(NoteWritten, after=1) == [3]
        assert await found(NoteWritten, MessagesRead, upto=3) == [1, 2, 3]
        assert await found(LoopBegun) == []

    @awaited
    async def test_facts_that_name_an_id_are_read_in_their_order(self, store: Handle) -> None:
        stream, read = fresh_stream(), MessagesRead(at=1, upto=1)
        await store.events.append(stream, (*notes("r1/US-1/1"), *notes("r2/US-1/1"), read), expected=0, key="a")
        await store.events.append(stream, notes("r1/US-2/1"), expected=3, key="b")

        async def found(naming: str, **more: Any) -> list[int]:
            return [entry.version for entry in await store.events.read(stream, naming=naming, **more)]

        assert await found("r1/") == [1, 4]
        assert await found("r1/US-1/") == [1]
        assert await found("US-", after=1, upto=3) == [2]
        assert await found("r1/", kinds=(MessagesRead,)) == []
        assert await found("r3/") == []

    @awaited
    async def test_appending_no_facts_checks_the_version_and_writes_the_rows(self, store: Handle) -> None:
        stream = fresh_stream()
        assert await store.events.append(stream, (), expected=0, key="k", rows=[run_row("r")]) == 0
        assert await store.queries.run("r") == run_row("r")
        with pytest.raises(VersionConflictError):
            await store.events.append(stream, (), expected=1, key="k")

    @awaited
    async def test_the_last_snapshot_of_a_stream_is_kept(self, handles: Handles) -> None:
        stream, other = fresh_stream(), fresh_stream()
        first = SnapshotRow(stream=stream, version=1, format=1, body="{}")
        second = SnapshotRow(stream=stream, version=2, format=3, body='{"a": 1}')
        assert await handles().events.snapshot(stream) is None
        for row in (first, second):
            expected = row.version - 1
            await handles().events.append(stream, notes("a"), expected=expected, key=str(expected), rows=[row])
            assert await handles().events.snapshot(stream) == row
        assert await handles().events.snapshot(other) is None

    @awaited
    async def test_of_many_writers_at_one_version_one_wins(self, handles: Handles) -> None:
        stream = fresh_stream()
        stores = [handles() for _ in range(4)]
        for version in range(5):
            results = await together(
                [
                    partial(
                        store.events.append,
                        stream,
                        notes(f"{version} {number}"),
                        expected=version,
                        key=f"{version} {number}",
                        rows=[run_row("r", title=f"{version} {number}")],
                    )
                    for number, store in enumerate(stores)
                ]
            )
            assert sorted(type(result).__name__ for result in results) == ["VersionConflictError"] * 3 + ["int"]
        history = await stores[0].events.read(stream)
        assert [entry.version for entry in history] == [1, 2, 3, 4, 5]
        shown = await stores[0].queries.run("r")
        assert shown is not None
        assert shown.title == history[-1].key

    @awaited
    async def test_a_key_appended_twice_at_once_is_there_once(self, handles: Handles) -> None:
        stream = fresh_stream()
        stores = [handles() for _ in range(4)]
        for turn in range(5):
            results = await together(
                [
                    partial(store.events.append, stream, notes("a", "b"), expected=2 * turn, key=f"k{turn}")
                    for store in stores
                ]
            )
            assert results == [2 * turn + 2] * 4
        assert await stores[0].events.version(stream) == 10
