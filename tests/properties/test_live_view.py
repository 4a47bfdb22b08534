"""A terminal that follows a run, the commands that read the database and the API say the same, at any point of any
history.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.processes.host.process_identity import this_owner
from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.runtime.context import Sighting
from shiftwork.app.runtime.streams import RUN_KIND, STORY_KIND, Kind
from shiftwork.app.views.documents.document import to_json
from shiftwork.app.views.documents.run_documents import run_document, runs_document, stories_document
from shiftwork.app.views.live.board import Board
from shiftwork.app.views.live.live_rows import LiveRows
from shiftwork.app.views.overview import Group, overview
from shiftwork.app.views.queries import outlines, run_view
from shiftwork.app.views.report.markdown_report import report
from shiftwork.app.views.report.record_reader import read_record
from shiftwork.app.views.report.run_record import RunRecord
from shiftwork.app.views.run_views import RunView
from shiftwork.app.views.story_list import Line, roll
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, Stream, run_stream, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.state import StoryState
from shiftwork.entrypoints.cli.commands.stories import listing
from shiftwork.entrypoints.cli.live.story_lines import Sheet, header, needs_you, stories
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.sanitize import cells
from shiftwork.entrypoints.cli.run_status import Context, status_lines
from shiftwork.ports.views import Row
from shiftwork.testing.builders import assignment, run_plan
from shiftwork.testing.simulation.run import RunSimulation
from shiftwork.testing.simulation.simulation import Play
from shiftwork.testing.simulation.story import StorySimulation
from shiftwork.testing.strategies import DrawnChance, specs, workflows
from tests.properties.served_history import ServedHistory, served_history

NUMBERS = count(1)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHistory]:
    with served_history(tmp_path_factory.mktemp("served")) as opened:
        yield opened


def histories(asked: tuple[Story, ...], data: st.DataObject, project: str = "") -> list[tuple[Stream, Fact]]:
    """A simulated run, and simulated stories of it that have started, in any order that keeps each stream's own."""
    simulation = RunSimulation(chance=DrawnChance(data))
    run = Play(decide=decide_run, evolve=evolve_run, answer=simulation.answer, state=RunState())
    plan = replace(run_plan(*asked, parallel=2), run=RunId(f"r{next(NUMBERS)}"), project=project)
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


@pytest.mark.timeout(1800)  # it makes 200 runs, and compares six views of each
@given(specs(), st.data())
@settings(max_examples=200, deadline=None)
def test_all_show_the_same_and_no_line_is_too_wide(
    api: ServedHistory, asked: tuple[Story, ...], data: st.DataObject
) -> None:
    facts = histories(asked, data, api.stage.site.project)
    checked = data.draw(st.sets(st.integers(0, len(facts) - 1), max_size=5)) | {len(facts) - 1}
    api.empty()
    worker = data.draw(st.sampled_from((None, this_owner("this test"))))

    async def followed() -> None:
        store, board, rows, unserved = MemoryStore(), Board(), LiveRows(), list[tuple[Stream, Fact, tuple[Row, ...]]]()
        states: dict[Stream, tuple[int, RunState | StoryState]] = {}
        if worker:
            for leases in (store.leases, api.stage.store.leases):
                await leases.acquire(facts[0][0].removeprefix("run/"), worker)
        for number, (stream, fact) in enumerate(facts):
            kind: Kind[RunState] | Kind[StoryState] = RUN_KIND if stream.startswith("run/") else STORY_KIND
            version, before = states.get(stream, (0, kind.state.start))
            after = kind.state.evolve(before, fact)  # type: ignore[arg-type]  # the state belongs to the kind
            written = kind.rows_of(before, after, [fact])  # type: ignore[arg-type]  # as above
            version = await store.events.append(stream, [fact], expected=version, key=f"k{number}", rows=written)
            states[stream] = version, after
            unserved.append((stream, fact, written))
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
                room = data.draw(st.sampled_from((60, 80, 120)))
                fits(live, room, data.draw(st.integers(4, 40)))
                await api.append(unserved)
                unserved.clear()
                await serves(api, store)
                if number in {min(checked), max(checked)}:
                    known = await read_record(store.queries, store.events, stored)
                    agree(stored, known, max(room, 80))
                    await serves_all(api, store, stored, known)

    api.loop.run(followed())


def fits(view: RunView, room: int, rows: int) -> None:
    glance = overview(view, now=1000.0)
    assert sum(len(glance.of(group)) for group in Group) == len(view.stories), "each story is in one group"
    sheet = Sheet(view=view, glance=glance, doing={}, now=1000.0, room=room)
    lines = [header(sheet), *needs_you(sheet), *stories(sheet, rows)]
    assert all(cells(line.text) <= room for line in lines)
    asking = {item.view.story.story for item in glance.of(Group.NEEDS_YOU)}
    shown = "\n".join(line.text for line in needs_you(sheet))
    assert all(re.search(rf"^! .*\b{re.escape(story)}\b", shown, re.MULTILINE) for story in asking)


WORDS = {
    Group.NEEDS_YOU: {"needs you"},
    Group.IN_PROGRESS: {"working", "stopped", "limited", "paused", "stuck"},
    Group.QUEUED: {"queued", "blocked"},
    Group.FAILED: {"failed"},
    Group.LANDED: {"landed", "proved", "done", "undo pending"},
    Group.ENDED: {"undone", "cancelled", "skipped"},
}
"""The words of the tables for the stories in each group of `status`."""


def shown_alike(view: RunView) -> dict[str, Group]:
    """The group of each story in `status`. Left out: stories whose undo a simulated run requests though they have not
    landed, because a simulated story of the same name does something else.
    """
    items = overview(view, now=1000.0).items
    groups = {item.view.story.story: item.group for item in items}
    return {story: group for story, group in groups.items() if group is Group.LANDED or story not in view.undoing}


def agree(view: RunView, known: RunRecord, room: int) -> None:
    """`status`, `stories` and `report` say the same of each story; `status` is short, and no line is too wide. Of a
    simulated story its simulated run may say something else, which the report prefers: such stories are left out.
    """
    glance = overview(view, now=1000.0)
    groups = {item.view.story.story: item.group for item in glance.items}
    rows = [Line(story=item.story, step="", depends_on=(), waits_for=()) for item in view.stories]
    with phrases.at_width(room):
        status = status_lines(view, 1000.0, Context())
        listed = list(listing(view, rows, set(Group)))
    assert all(cells(line.text) <= room for line in (*status, *listed) if "shiftwork " not in line.text), (
        "no command is cut"
    )
    if 1 < len(view.stories) <= 8:
        assert len(status) <= 20
    shown = "\n".join(line.text for line in status)
    assert ("Needs you" in shown) == (Group.NEEDS_YOU in groups.values())
    states = {line.text.split()[0]: line.text for line in listed if line.text.startswith(tuple(groups))}
    in_report = dict(re.findall(r"^## (.+?): .*\n\nState: (.+)\.$", report(known, moving=view.moves), re.MULTILINE))
    by_row = {item.story.story: item.story.status for item in view.stories}
    same = {story.asked.id for story in known.stories if story.listed.status == by_row[story.asked.id]}
    for story, group in shown_alike(view).items():
        assert any(f" {word} " in states[story] for word in WORDS[group])
        assert story not in same or in_report[story] in WORDS[group] - {"stuck", "undo pending"}


STATES = {
    Group.NEEDS_YOU: {"waiting"},
    Group.IN_PROGRESS: {"working", "interrupted", "limited", "paused", "stuck"},
    Group.QUEUED: {"queued", "blocked"},
    Group.FAILED: {"failed"},
    Group.LANDED: {"landed", "proved", "done", "undoing"},
    Group.ENDED: {"undone", "cancelled", "skipped"},
}
"""The states in documents of the stories in each group of `status`."""


async def serves(api: ServedHistory, store: MemoryStore) -> None:
    """The API gives the run and its list of stories, as they are stored now."""
    view = await run_view(store.queries, "", lambda _: True, every_step=False)
    run, history = RunId(view.run.run), store.events
    assert await api.read(f"/runs/{run}") == to_json(run_document(view, owed_gates=[]))
    waits_for = {line.story.story: line.waits_for for line in await roll(store.queries, history, run)}
    assert await api.read(f"/runs/{run}/stories") == to_json(stories_document(view, waits_for))


async def serves_all(api: ServedHistory, store: MemoryStore, stored: RunView, known: RunRecord) -> None:
    """The other documents of the API say the same, and state of each story what `status` shows."""
    run = stored.run.run
    whole = await api.read(f"/runs/{run}?steps=true")
    assert whole == to_json(run_document(stored, owed_gates=[]))
    groups = {item.view.story.story: item.group for item in overview(stored, now=1000.0).items}
    for story in whole["stories"]:
        if group := shown_alike(stored).get(story["story"]):
            assert story["state"] in STATES[group]
        assert await api.read(f"/runs/{run}/stories/{story['story']}") == {"schema": "shiftwork/story/1", **story}
    listed = await outlines(store.queries, await store.queries.runs(), lambda _: True)
    assert await api.read("/runs") == to_json(runs_document(listed))
    if stored.run.ended_at is None:  # of a run that has ended no story asks; a simulated one may
        asking = (await api.read("/needs-you"))["stories"]
        assert [line["story"] for line in asking] == [story for story in groups if groups[story] is Group.NEEDS_YOU]
    assert await api.read(f"/runs/{run}/report") == report(known, moving=stored.moves)
