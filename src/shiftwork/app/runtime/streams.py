"""The three kinds of streams that jobs work on: a run, a story, a landing queue."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

from shiftwork.app.runtime.attempt_projection import attempt_rows
from shiftwork.app.runtime.projections import queue_rows, run_rows
from shiftwork.app.runtime.story_projection import story_rows
from shiftwork.domain.core.decision import Effects
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.core.plain import from_plain, to_plain
from shiftwork.domain.landing.decide import decide_queue
from shiftwork.domain.landing.evolve import evolve_queue
from shiftwork.domain.landing.state import QUEUE_FORMAT, QueueState
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.state import StoryState
from shiftwork.ports.store import History, Kinds
from shiftwork.ports.views import Row, SnapshotRow
from shiftwork.records import dataclass


class StreamState(Protocol):
    """What the states of all streams have in common."""

    @property
    def cursor(self) -> int:
        """The position up to which the inbox of the stream has been read."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshots[S]:
    """When the state of a stream is stored beside its facts. `format` is that of the code: states that another code has
    folded are not used.
    """

    format: int
    is_due: Callable[[S], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind[S: StreamState]:
    """How a stream is folded, how its next effects are decided, and which rows its changes write: `rows` shows the
    state, `fact_rows` what single facts add to that. Several processes may work on a `shared` stream, one at a time;
    any other stream belongs to the process that holds its run.
    """

    start: S
    evolve: Callable[[S, Fact], S]
    decide: Callable[[S], Effects]
    rows: Callable[[S, S], tuple[Row, ...]]
    fact_rows: Callable[[S, Sequence[Fact]], Iterable[Row]] | None = None
    shared: bool = False
    snapshots: Snapshots[S] | None = None

    def fold(self, state: S, facts: Iterable[Fact]) -> S:
        for fact in facts:
            state = self.evolve(state, fact)
        return state

    def rows_of(self, before: S, after: S, facts: Sequence[Fact]) -> tuple[Row, ...]:
        """The rows to write with the facts that led from one state to the other."""
        return (*self.rows(before, after), *(self.fact_rows(before, facts) if self.fact_rows else ()))


RUN: Final[Kind[RunState]] = Kind(start=RunState(), evolve=evolve_run, decide=decide_run, rows=run_rows)
STORY: Final[Kind[StoryState]] = Kind(
    start=StoryState(), evolve=evolve_story, decide=decide_story, rows=story_rows, fact_rows=attempt_rows
)
LANDING: Final[Kind[QueueState]] = Kind(
    start=QueueState(),
    evolve=evolve_queue,
    decide=decide_queue,
    rows=queue_rows,
    shared=True,
    # An empty queue is small. A queue exists as long as its branch, and each process would fold all its landings.
    snapshots=Snapshots(format=QUEUE_FORMAT, is_due=lambda queue: not queue.entries),
)


async def load[S: StreamState](
    events: History,
    kind: Kind[S],
    stream: Stream,
    version: int | None = None,
    known: tuple[int, S] | None = None,
) -> S:
    """The state of a stream at a version, by default the latest, folded from the `known` state or a snapshot, unless
    that is later.
    """
    if known is None or (version is not None and known[0] > version):
        known = await _stored(events, kind, stream, version)
    return kind.fold(known[1], await read(events, stream, known[0], version))


async def _stored[S: StreamState](events: History, kind: Kind[S], stream: Stream, version: int | None) -> tuple[int, S]:
    """The snapshot of the stream, or else its start."""
    found = await events.snapshot(stream) if kind.snapshots else None
    if found is None or kind.snapshots is None or found.format != kind.snapshots.format:
        return 0, kind.start
    if version is not None and found.version > version:
        return 0, kind.start
    try:
        return found.version, from_plain(type(kind.start), json.loads(found.body))
    except (ValueError, TypeError, LookupError, AttributeError):  # it is damaged, and the facts say the same
        return 0, kind.start


def snapshot_rows[S: StreamState](kind: Kind[S], stream: Stream, version: int, state: S) -> tuple[SnapshotRow, ...]:
    """The rows to write with the facts that led to this state: its snapshot, if it is due."""
    if kind.snapshots is None or not kind.snapshots.is_due(state):
        return ()
    body = json.dumps(to_plain(state), separators=(",", ":"))
    return (SnapshotRow(stream=stream, version=version, format=kind.snapshots.format, body=body),)


async def read(events: History, stream: Stream, after: int, upto: int | None, kinds: Kinds = ()) -> list[Fact]:
    return [recorded.fact for recorded in await events.read(stream, after=after, upto=upto, kinds=kinds)]
