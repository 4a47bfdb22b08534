"""A run as it will be once it has found that its branch lacks what stories have landed."""

import pytest

from shiftwork.app.views.documents.commands.result_documents import missing_stories
from shiftwork.app.views.missing_stories import landed_commits, missing_lines, missing_notes, with_missing
from shiftwork.app.views.run_views import Activity, RunView
from shiftwork.domain.core.ids import FRAME
from shiftwork.records import replace
from shiftwork.testing.conformance.store_stage import run_row
from tests.app.views.test_overview import story

COMMIT = "98b0361d2f98b0361d2f98b0361d2f98b0361d2f"


def landed(status: str = "completed", undoing: str = "") -> RunView:
    run = replace(run_row("r1"), branch="main", status=status, ended_at=9.0, completed=2, undoing=undoing)
    names = (FRAME, "US-001", "US-002", "US-003")
    first = [
        story(name, "completed", commit=f"{COMMIT[:-1]}{place}", proof="partly") for place, name in enumerate(names)
    ]
    others = [story("US-004", "failed"), story("US-005", "completed", commit="")]
    return RunView(run=run, activity=Activity.OVER, worker=None, stories=[*first, *others])


def test_what_has_landed_is_looked_for_unless_it_is_being_undone() -> None:
    assert [*landed_commits(landed())] == ["US-001", "US-002", "US-003"]
    assert [*landed_commits(landed(undoing="US-002"))] == ["US-001", "US-003"]


def test_nothing_changes_where_nothing_is_missing() -> None:
    view = landed()
    assert with_missing(view, ()) is view
    assert with_missing(view, {"US-004", "US-009"}).stories == view.stories


@pytest.mark.parametrize(("status", "then"), [("completed", "failed"), ("running", "running"), ("undone", "undone")])
def test_what_is_missing_counts_as_landed_no_more_and_says_as_what_it_had(status: str, then: str) -> None:
    view = with_missing(landed(status=status), {"US-002"})
    assert (view.run.status, view.run.completed) == (then, 1)
    assert [entry.story.status for entry in view.stories][1:4] == ["completed", "missing", "completed"]
    gone = view.stories[2].story
    assert (gone.landing.commit, gone.proof.level) == ("", "")
    assert missing_notes(view) == {"US-002": f"landed as {COMMIT[:12]}, no longer found on main"}
    (line,) = missing_lines(view)
    assert line.endswith("no longer found on main; to land it again: shiftwork retry US-002 --run r1")
    (document,) = missing_stories(view)
    assert (document.run, document.story, document.branch) == ("r1", "US-002", "main")
