"""The three kinds of streams that jobs work on: a run, a story, a landing queue."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from shiftwork.app.folds import LANDING, RUN, STORY, Fold, StreamState
from shiftwork.app.runtime.attempt_projection import attempt_rows
from shiftwork.app.runtime.projections import queue_rows, run_rows
from shiftwork.app.runtime.story_projection import story_rows
from shiftwork.domain.core.decision import Effects
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.landing.decide import decide_queue
from shiftwork.domain.landing.state import QueueState
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.state import StoryState
from shiftwork.ports.views import Row
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind[S: StreamState]:
    """How the state of a stream is folded, how its next effects are decided, and which rows its changes write: `rows`
    shows the state, `fact_rows` what single facts add to that. Several processes may work on a `shared` stream, one at
    a time; any other stream belongs to the process that holds its run.
    """

    state: Fold[S]
    decide: Callable[[S], Effects]
    rows: Callable[[S, S], tuple[Row, ...]]
    fact_rows: Callable[[S, Sequence[Fact]], Iterable[Row]] | None = None
    shared: bool = False

    def rows_of(self, before: S, after: S, facts: Sequence[Fact]) -> tuple[Row, ...]:
        """The rows to write with the facts that led from one state to the other."""
        return (*self.rows(before, after), *(self.fact_rows(before, facts) if self.fact_rows else ()))


RUN_KIND: Final[Kind[RunState]] = Kind(state=RUN, decide=decide_run, rows=run_rows)
STORY_KIND: Final[Kind[StoryState]] = Kind(state=STORY, decide=decide_story, rows=story_rows, fact_rows=attempt_rows)
LANDING_KIND: Final[Kind[QueueState]] = Kind(state=LANDING, decide=decide_queue, rows=queue_rows, shared=True)
