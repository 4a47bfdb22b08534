"""A terminal that follows a run shows what a command reads from the database, after every fact of any history."""

import asyncio
import re
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.runtime.context import Sighting
from shiftwork.app.runtime.streams import RUN, STORY, Kind
from shiftwork.app.views.live.board import Board
from shiftwork.app.views.live.live_rows import LiveRows
from shiftwork.app.views.overview import Group, overview
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import RunView
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream, run_stream, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.state import StoryState
from shiftwork.entrypoints.cli.live.story_lines import Sheet, header, needs_you, stories
from shiftwork.entrypoints.cli.render.sanitize import cells
from shiftwork.testing.builders import assignment, run_plan
from shiftwork.testing.simulation.run import RunSimulation
from shiftwork.testing.simulation.simulation import Play
from shiftwork.testing.simulation.story import StorySimulation
from shiftwork.testing.strategies import DrawnChance, specs, workflows


def histories(asked: tuple[Story, ...], data: st.DataObject) -> list[tuple[Stream, Fact]]:
    """A simulated run, and simulated stories of it that have started, in any order that keeps each stream's own."""
    simulation = RunSimulation(chance=DrawnChance(data))
    run = Play(decide=decide_run, evolve=evolve_run, answer=simulation.answer, state=RunState())
    plan = run_plan(*asked, parallel=2)
    run.open([run_facts.RunStarted(at=0, plan=plan)])
    run.run(simulation.bound(run.state))
    streams = {run_stream(plan.run): list(run.history)}
    for position, story in enumerate(asked[: data.draw(st.integers(0, 2))]):
        surroundings = StorySimulation(chance=DrawnChance(data))
        play = Play(decide=decide_story, evolve=evolve_story, answer=surroundings.answer, state=StoryState())
        given = replace(assignment(), run=plan.run, story=story, position=position)
        play.open([story_facts.StoryStarted(at=0, assignment=given, steps=data.draw(workflows()))])
        play.run(surroundings.bound(play.state))
        streams[story_stream(plan.run, story.id)] = list(play.history)
    first = run_stream(plan.run)
    merged: list[tuple[Stream, Fact]] = [(first, streams[first].pop(0))]
    while left := [stream for stream, facts in streams.items() if facts]:
        chosen = data.draw(st.sampled_from(left))
        count = data.draw(st.integers(1, 6))
        merged += [(chosen, fact) for fact in streams[chosen][:count]]
        del streams[chosen][:count]
    return merged


@given(specs(), st.data())
@settings(max_examples=200, deadline=None)
def test_both_show_the_same_and_no_line_is_too_wide(asked: tuple[Story, ...], data: st.DataObject) -> None:
    facts = histories(asked, data)
    checked = data.draw(st.sets(st.integers(0, len(facts) - 1), max_size=5)) | {len(facts) - 1}

    async def followed() -> None:
        store, board, rows = MemoryStore(), Board(), LiveRows()
        states: dict[Stream, tuple[int, RunState | StoryState]] = {}
        for number, (stream, fact) in enumerate(facts):
            kind: Kind[RunState] | Kind[StoryState] = RUN if stream.startswith("run/") else STORY
            version, before = states.get(stream, (0, kind.start))
            after = kind.evolve(before, fact)  # type: ignore[arg-type]  # the state belongs to the kind
            written = kind.rows(before, after)  # type: ignore[arg-type]  # as above
            version = await store.events.append(stream, [fact], expected=version, key=f"k{number}", rows=written)
            states[stream] = version, after
            board.see(Sighting(stream=stream, what=fact))
            rows.catch_up(board)
            if number in checked:
                stored = await run_view(store.queries, "", lambda _: True)
                live = rows.view()
                assert live is not None
                assert live.run == stored.run
                assert live.stories == [
                    replace(view, activity=shown.activity)
                    for view, shown in zip(stored.stories, live.stories, strict=True)
                ]
                fits(live, data.draw(st.sampled_from((60, 80, 120))), data.draw(st.integers(4, 40)))

    asyncio.run(followed())


def fits(view: RunView, room: int, rows: int) -> None:
    glance = overview(view, now=1000.0)
    assert sum(len(glance.of(group)) for group in Group) == len(view.stories), "each story is in one group"
    sheet = Sheet(view=view, glance=glance, doing={}, now=1000.0, room=room)
    lines = [header(sheet), *needs_you(sheet), *stories(sheet, rows)]
    assert all(cells(line.text) <= room for line in lines)
    asking = {item.view.story.story for item in glance.of(Group.NEEDS_YOU)}
    shown = "\n".join(line.text for line in needs_you(sheet))
    assert all(re.search(rf"^! .*\b{re.escape(story)}\b", shown, re.MULTILINE) for story in asking)
