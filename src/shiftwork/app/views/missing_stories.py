"""A run with the landed stories that its branch no longer has, as the run itself will find them."""

from collections.abc import Collection

from shiftwork.app.views.run_views import RunView, StoryView
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.run.lost_work import missing_text
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.story.state import StoryStatus
from shiftwork.ports.rows.row_parts import LandingPart, ProofPart
from shiftwork.ports.views import StoryRow
from shiftwork.records import replace


def landed_commits(view: RunView) -> dict[str, str]:
    """The commits that count as landed, by story; a story that is being undone will leave the branch anyway."""
    rows = (entry.story for entry in view.stories)
    return {
        row.story: row.landing.commit
        for row in rows
        if row.status == StoryStatus.COMPLETED and row.landing.commit and row.story not in {FRAME, *view.undoing}
    }


def with_missing(view: RunView, missing: Collection[str]) -> RunView:
    """The run as it will be once it has found that its branch lacks the work of these stories."""
    if not missing:
        return view
    run, gone = view.run, 0
    stories: list[StoryView] = []
    for entry in view.stories:
        lost = entry.story.story in missing and entry.story.status == StoryStatus.COMPLETED
        stories.append(replace(entry, story=_missing(entry.story, run.branch)) if lost else entry)
        gone += lost
    status = RunStatus.FAILED if gone and run.status == RunStatus.COMPLETED else run.status
    return replace(view, run=replace(run, status=status, completed=run.completed - gone), stories=stories)


def missing_notes(view: RunView) -> dict[str, str]:
    """What to say about each story that has landed and is no longer found."""
    return {
        entry.story.story: entry.story.failure for entry in view.stories if entry.story.status == StoryStatus.MISSING
    }


def missing_lines(view: RunView) -> tuple[str, ...]:
    return tuple(
        f"{story} {note}; to land it again: shiftwork retry {story} --run {view.run.run}"
        for story, note in missing_notes(view).items()
    )


def _missing(row: StoryRow, branch: str) -> StoryRow:
    return replace(
        row,
        status=StoryStatus.MISSING,
        failure=missing_text(row.landing.commit, branch),
        landing=LandingPart(tests=row.landing.tests),
        proof=ProofPart(),
    )
