"""The state of a run, a story or a landing queue, folded from its facts. Reading it needs nothing that decides."""

import json
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.core.plain import from_plain, to_plain
from shiftwork.domain.landing.evolve import evolve_queue
from shiftwork.domain.landing.state import QUEUE_FORMAT, QueueState
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.state import StoryState
from shiftwork.ports.store import History, Kinds
from shiftwork.ports.views import SnapshotRow
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
class Fold[S: StreamState]:
    """How the facts of a stream become its state."""

    start: S
    evolve: Callable[[S, Fact], S]
    snapshots: Snapshots[S] | None = None

    def fold(self, state: S, facts: Iterable[Fact]) -> S:
        for fact in facts:
            state = self.evolve(state, fact)
        return state


RUN: Final[Fold[RunState]] = Fold(start=RunState(), evolve=evolve_run)
STORY: Final[Fold[StoryState]] = Fold(start=StoryState(), evolve=evolve_story)
LANDING: Final[Fold[QueueState]] = Fold(
    start=QueueState(),
    evolve=evolve_queue,
    # An empty queue is small. A queue exists as long as its branch, and each process would fold all its landings.
    snapshots=Snapshots(format=QUEUE_FORMAT, is_due=lambda queue: not queue.entries),
)


async def load[S: StreamState](
    events: History,
    of: Fold[S],
    stream: Stream,
    version: int | None = None,
    known: tuple[int, S] | None = None,
) -> S:
    """The state of a stream at a version, by default the latest, folded from the `known` state or a snapshot, unless
    that is later.
    """
    if known is None or (version is not None and known[0] > version):
        known = await _stored(events, of, stream, version)
    return of.fold(known[1], await read(events, stream, known[0], version))


async def _stored[S: StreamState](events: History, of: Fold[S], stream: Stream, version: int | None) -> tuple[int, S]:
    """The snapshot of the stream, or else its start."""
    found = await events.snapshot(stream) if of.snapshots else None
    if found is None or of.snapshots is None or found.format != of.snapshots.format:
        return 0, of.start
    if version is not None and found.version > version:
        return 0, of.start
    try:
        return found.version, from_plain(type(of.start), json.loads(found.body))
    except (ValueError, TypeError, LookupError, AttributeError):  # it is damaged, and the facts say the same
        return 0, of.start


def snapshot_rows[S: StreamState](of: Fold[S], stream: Stream, version: int, state: S) -> tuple[SnapshotRow, ...]:
    """The rows to write with the facts that led to this state: its snapshot, if it is due."""
    if of.snapshots is None or not of.snapshots.is_due(state):
        return ()
    body = json.dumps(to_plain(state), separators=(",", ":"))
    return (SnapshotRow(stream=stream, version=version, format=of.snapshots.format, body=body),)


async def read(events: History, stream: Stream, after: int, upto: int | None, kinds: Kinds = ()) -> list[Fact]:
    return [recorded.fact for recorded in await events.read(stream, after=after, upto=upto, kinds=kinds)]
