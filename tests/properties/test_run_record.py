"""The record of a run is the same from rows and a few facts as from the whole history, after any history."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.runtime.streams import RUN_KIND, STORY_KIND, Kind
from shiftwork.app.views.history import account
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.report.markdown_report import report
from shiftwork.app.views.report.record_reader import read_record
from shiftwork.app.views.report.run_record import RunRecord, record_of
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, Stream
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import StoryState
from shiftwork.testing.strategies import specs
from tests.properties.test_live_view import histories


async def written(store: MemoryStore, facts: list[tuple[Stream, Fact]]) -> None:
    """Writes the facts with their rows, as recorders do."""
    states: dict[Stream, tuple[int, RunState | StoryState]] = {}
    for number, (stream, fact) in enumerate(facts):
        kind: Kind[RunState] | Kind[StoryState] = RUN_KIND if stream.startswith("run/") else STORY_KIND
        version, before = states.get(stream, (0, kind.state.start))
        after = kind.state.evolve(before, fact)  # type: ignore[arg-type]  # the state belongs to the kind
        rows = kind.rows_of(before, after, [fact])  # type: ignore[arg-type]  # as above
        states[stream] = await store.events.append(stream, [fact], expected=version, key=str(number), rows=rows), after


async def both(store: MemoryStore, run: RunId) -> tuple[RunRecord, RunRecord]:
    view = await run_view(store.queries, run, lambda _: True)
    return await read_record(store.queries, store.events, view), record_of(await account(store.events, run))


@given(specs(), st.data())
@settings(max_examples=100, deadline=None)
def test_rows_and_quoted_facts_say_what_the_whole_history_says(asked: tuple[Story, ...], data: st.DataObject) -> None:
    async def scenario() -> None:
        store, facts = MemoryStore(), histories(asked, data)
        await written(store, facts)
        quick, whole = await both(store, RunId(facts[0][0].partition("/")[2]))
        assert quick.stories == whole.stories
        assert quick == whole
        assert report(quick) == report(whole)

    asyncio.run(scenario())
