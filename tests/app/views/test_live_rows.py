"""The view of a run that this process works on."""

from dataclasses import replace

from shiftwork.app.runtime.context import Sighting
from shiftwork.app.views.live.board import Board
from shiftwork.app.views.live.live_rows import LiveRows
from shiftwork.app.views.run_views import Activity
from shiftwork.domain.agents.tally import Pick
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, RunId, run_stream, step_id, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.usage.usage import Usage
from shiftwork.testing.builders import asked, assignment, planned, run_plan

PLAN = run_plan(asked(1), asked(2, after=(1,)))
STORY = story_stream(PLAN.run, asked(1).id)


def followed(*facts: Fact) -> LiveRows:
    board, rows = Board(), LiveRows()
    board.see(Sighting(stream=run_stream(PLAN.run), what=run_facts.RunStarted(at=1, plan=PLAN)))
    rows.catch_up(board)
    for fact in facts:
        board.see(Sighting(stream=STORY, what=fact))
        rows.catch_up(board)
    return rows


def test_there_is_nothing_to_view_before_the_run_has_started() -> None:
    rows = LiveRows()
    rows.catch_up(Board())
    assert rows.view() is None


def test_stories_are_there_before_they_start_and_what_they_used_after() -> None:
    view = followed().view()
    assert view
    assert [(item.story.status, item.story.depends_on) for item in view.stories] == [
        ("unclaimed", ()),
        ("unclaimed", (asked(1).id,)),
    ]
    given = replace(assignment(), run=PLAN.run, story=asked(1), picks=(Pick(role="coder", profile="a", why=""),))
    begun = story_facts.StoryStarted(at=2, assignment=given, steps=(planned("coding"),))
    prepared = story_facts.WorkspacePrepared(at=2, number=1, base=Commit("b"), head=Commit("b"))
    first = story_facts.StepStarted(at=3, step=step_id(1), attempt=1, commit=Commit("b"), log="", agent="a")
    limited = story_facts.StepDeferred(
        at=9,
        step=step_id(1),
        attempt=1,
        agent="a",
        resets_at=50,
        until=50,
        reason="full",
        usage=Usage(cost_usd=0.5),
        diff="",
    )
    view = followed(begun, prepared, first, limited).view(meant=False)
    assert view
    assert view.activity is Activity.LIMITED
    assert not view.meant
    assert [share.agent for share in view.shares] == ["a"]
    assert [wait.since for wait in view.stories[0].waited] == [9]
    assert view.run.run == RunId(PLAN.run)


def test_a_story_that_has_not_changed_stays_as_it_was() -> None:
    """The row of a story that will start again is the run's: the facts of the story before must not replace it."""
    board, rows = Board(), LiveRows()
    started = story_facts.StoryStarted(
        at=2, assignment=replace(assignment(), run=PLAN.run, story=asked(1)), steps=(planned("coding"),)
    )
    for stream, fact in (
        (run_stream(PLAN.run), run_facts.RunStarted(at=1, plan=PLAN)),
        (run_stream(PLAN.run), run_facts.StoryDispatched(at=2, story=asked(1).id)),
        (STORY, started),
        (run_stream(PLAN.run), run_facts.RunPaused(at=3)),
    ):
        board.see(Sighting(stream=stream, what=fact))
        rows.catch_up(board)
    view = rows.view()
    assert view
    assert [item.story.status for item in view.stories] == ["in_progress", "unclaimed"]
