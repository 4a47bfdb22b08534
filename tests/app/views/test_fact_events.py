"""Recorded facts as events: the same as a stream of --json has, from wherever a reader begins."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from shiftwork.adapters.store.in_memory import MemoryEventStore, MemoryStore
from shiftwork.app.runtime.context import Sighting
from shiftwork.app.views.documents.event_documents import change_event
from shiftwork.app.views.feed.fact_events import UPDATED, FactEvents
from shiftwork.app.views.live.board import Board
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId, Stream, run_stream, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.errors import CodecError
from shiftwork.ports.store import Kinds, Recorded
from shiftwork.testing.builders import RUN, asked, assignment, began, fold_story, planned, run_plan

STORY = story_stream(RUN, StoryId("US-001"))


def story() -> list[Fact]:
    steps = (planned("coding"), planned("final_review"))
    facts: list[Fact] = [story_facts.StoryStarted(at=1, assignment=assignment(), steps=steps)]
    state = fold_story(StoryState(), *facts)
    started = began(state)
    return [*facts, started, story_facts.NoteWritten(at=3, by=started.step, text="noted")]


def history() -> list[tuple[Stream, Fact]]:
    run = [(run_stream(RUN), run_facts.RunStarted(at=1, plan=run_plan(asked(1), asked(2))))]
    steered = (
        run_facts.StoryAdded(at=4, story=asked(3)),
        run_facts.StoriesReordered(at=4, stories=(asked(3).id, asked(2).id)),
        run_facts.RunPaused(at=4),
    )
    return [*run, *((STORY, fact) for fact in story()), *((run_stream(RUN), fact) for fact in steered)]


async def recorded(store: MemoryStore) -> list[Recorded]:
    placed: list[Recorded] = []
    for number, (stream, fact) in enumerate(history()):
        version = await store.events.version(stream)
        await store.events.append(stream, [fact], expected=version, key=f"k{number}")
        placed.append(Recorded(stream=stream, version=version + 1, key=f"k{number}", fact=fact))
    return placed


@pytest.mark.parametrize("known", [1, 256])
def test_events_are_those_that_a_terminal_shows_wherever_a_reader_begins(known: int) -> None:
    async def compared() -> None:
        store, board = MemoryStore(), Board()
        facts = await recorded(store)
        changes = [board.see(Sighting(stream=each.stream, what=each.fact)) for each in facts]
        assert [change.event if change else "" for change in changes] == [
            "run_started",
            "",
            "step_started",
            "",
            "story_added",
            "stories_reordered",
            "run_paused",
        ]
        for first in range(len(facts)):
            events = FactEvents(store.events, known=known)
            for each, change in zip(facts[first:], changes[first:], strict=True):
                event = await events.event(each)
                assert event == change_event(change, RUN) if change else event.kind == UPDATED
                assert event.run == RUN
                assert event.story == ("US-001" if each.stream == STORY else None)

    asyncio.run(compared())


def test_the_state_of_a_story_that_was_quiet_is_read_again() -> None:
    async def compared() -> None:
        store = MemoryStore()
        facts = await recorded(store)
        events = FactEvents(store.events, known=1)
        other = story_stream(RUN, StoryId("US-002"))
        started, begun, *_ = [each for each in facts if each.stream == STORY]
        first = await events.event(started)
        await events.event(Recorded(stream=other, version=1, key="o", fact=started.fact))
        assert (first.kind, (await events.event(begun)).name) == (UPDATED, "coding")

    asyncio.run(compared())


class NewerStore(MemoryEventStore):
    """A history in which a newer release has written."""

    async def read(
        self, stream: Stream, *, after: int = 0, upto: int | None = None, kinds: Kinds = (), naming: str = ""
    ) -> Sequence[Recorded]:
        raise CodecError("the history holds a fact that this release does not know")


def test_a_fact_of_a_newer_release_is_an_event_without_text_and_so_are_those_after_it() -> None:
    async def compared() -> None:
        store = MemoryStore()
        facts = [each for each in await recorded(store) if each.stream == STORY]
        newer = Recorded(stream=STORY, version=1, key="n", fact=Fact(at=5.0))
        events = FactEvents(NewerStore(store.queries))
        made = [await events.event(each) for each in (newer, replace(facts[1], version=2))]
        assert [(event.kind, event.story) for event in made] == [(UPDATED, "US-001")] * 2

    asyncio.run(compared())
