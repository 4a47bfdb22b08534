"""The view of a run that this process works on, from the states on its board: the rows that its history writes."""

from shiftwork.app.folds import RUN, STORY
from shiftwork.app.runtime.projections import run_rows
from shiftwork.app.runtime.story_projection import story_rows
from shiftwork.app.views.live.board import Board
from shiftwork.app.views.queries import RunRows, assembled
from shiftwork.app.views.run_views import RunView
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryState
from shiftwork.ports.views import Owner, Row, RunRow, SpentRow, StepRow, StoryRow, WaitedRow

_HERE = Owner(executor="", host="", pid=0, pid_started=0.0)


class LiveRows:
    """The rows of one run in memory. They are made as they are for the database, so both show the same."""

    def __init__(self) -> None:
        self._run: RunState = RUN.start
        self._known: dict[Stream, StoryState] = {}
        self._row: RunRow | None = None
        self._stories: dict[str, StoryRow] = {}
        self._steps: dict[str, dict[str, StepRow]] = {}
        self._waited: dict[tuple[str, int], WaitedRow] = {}
        self._spent: dict[tuple[str, str, str], SpentRow] = {}

    def view(self, *, meant: bool = True) -> RunView | None:
        """Returns the run as it is now; None if it has not started."""
        if self._row is None:
            return None
        rows = RunRows(
            run=self._row,
            stories=sorted(self._stories.values(), key=lambda row: row.position),
            steps={story: _in_order(steps) for story, steps in self._steps.items()},
            waited=self._waited.values(),
            spent=self._spent.values(),
        )
        return assembled(rows, _HERE, meant=meant)

    def catch_up(self, board: Board) -> None:
        """Makes the rows of what has changed. The run comes last: of a story that will start again, the run writes the
        row.
        """
        for stream, story in board.stories.items():
            before = self._known.get(stream, STORY.start)
            if story is not before and story.assignment:
                self._keep(story_rows(before, story))
                self._known[stream] = story
        if board.run is not self._run and board.run.plan:
            self._keep(run_rows(self._run, board.run))
            self._run = board.run

    def _keep(self, rows: tuple[Row, ...]) -> None:
        for row in rows:
            match row:
                case RunRow():
                    self._row = row
                case StoryRow():
                    self._stories[row.story] = row
                case StepRow():
                    self._steps.setdefault(row.story, {})[row.step] = row
                case WaitedRow():
                    self._waited[row.story, row.number] = row
                case SpentRow():
                    self._spent[row.story, row.agent, row.model] = row
                case _:
                    pass  # profiles and snapshots are not shown


def _in_order(steps: dict[str, StepRow]) -> list[StepRow]:
    return sorted((step for step in steps.values() if step.position >= 0), key=lambda step: step.position)
