"""How long the rest of a run may take, as far as it depends on no person."""

from typing import Any

import pytest

from shiftwork.app.views.overview import overview
from shiftwork.app.views.run_views import Activity, RunView, StoryView
from shiftwork.ports.rows.row_columns import built, columns
from shiftwork.ports.rows.row_parts import WaitCause
from shiftwork.ports.views import StoryRow
from shiftwork.records import replace
from shiftwork.testing.conformance.store_stage import run_row, story_row

NOW = 1000.0
ASKS: dict[str, Any] = {"waiting": "Tabs or blanks?", "hold": WaitCause.QUESTION}


def story(name: str, status: str, *after: str, began: float = NOW, **more: Any) -> StoryView:
    row = built(StoryRow, columns(story_row("r1", name)) | {"status": status, "started_at": began, **more})
    return StoryView(story=replace(row, depends_on=after), steps=[])


LANDED = tuple(story(f"US-00{number}", "completed", began=100.0, ended_at=200.0) for number in (1, 2))


def left(*stories: StoryView) -> float | None:
    run = replace(run_row("r1"), status="running", ended_at=None)
    view = RunView(run=run, activity=Activity.WORKING, worker=None, stories=(*LANDED, *stories))
    return overview(view, NOW).left


def test_stories_in_progress_and_queued_take_the_usual_time() -> None:
    assert left(story("US-003", "in_progress", began=NOW - 40)) == 60.0
    assert left(story("US-003", "in_progress", began=NOW - 40), story("US-004", "unclaimed")) == 160.0


@pytest.mark.parametrize(
    "first",
    [
        story("US-003", "in_progress", **ASKS),
        story("US-003", "paused"),
        story("US-003", "failed"),
        story("US-003", "cancelled"),
        story("US-003", "blocked"),
    ],
    ids=lambda first: first.story.status,
)
def test_nothing_is_estimated_where_only_a_person_continues(first: StoryView) -> None:
    later, last = story("US-004", "unclaimed", "US-003"), story("US-005", "unclaimed", "US-004")
    assert left(first, later, last) is None
    assert left(last, later, first) is None, "in any order"
    assert left(first, later, last, story("US-006", "unclaimed", "US-001")) == 100.0
