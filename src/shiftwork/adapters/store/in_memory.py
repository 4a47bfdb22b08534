"""A store in memory, for tests and demonstrations: the same contracts, lost when the process ends."""

import copy
import json
import math
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

from shiftwork.adapters.store.memory_leases import MemoryLeases
from shiftwork.adapters.store.sql.view_columns import identity, row_of, values
from shiftwork.adapters.store.wakeup import WakeUps, first_messages
from shiftwork.domain.codec import decode, encode
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, RunId, Stream, run_stream
from shiftwork.errors import LeaseLostError, VersionConflictError
from shiftwork.ports.rows.attempt_spans import attempts_in, sums_of
from shiftwork.ports.rows.row_parts import AttemptSum
from shiftwork.ports.store import Fence, Kinds, Message, Recorded, of_kinds
from shiftwork.ports.views import (
    OPEN,
    AttemptRow,
    Lease,
    ProfileRow,
    Row,
    RunRow,
    SnapshotRow,
    SpentRow,
    StepRow,
    StoryRow,
    WaitedRow,
)

type Rows = dict[tuple[type[Row], tuple[str, ...]], Row]


class MemoryStore:
    """The four ports in memory, with the attributes of `open.Store`."""

    def __init__(self, leases: MemoryLeases | None = None) -> None:
        self.leases = leases or MemoryLeases()
        self._rows: Rows = {}
        self.queries = MemoryViews(self.leases, self._rows)
        self.events = MemoryEventStore(self.queries)
        self.inbox = MemoryInbox()
        self.retention = MemoryRetention(self.events, self.inbox, self._rows)

    def confined(self, project: str) -> "MemoryViews":
        return MemoryViews(self.leases, self._rows, project)

    def close(self) -> None:
        """Nothing to release."""


class MemoryViews:
    """The latest rows; see `ports.store.Queries`. Limited to a project, unless that is None."""

    def __init__(self, leases: MemoryLeases, rows: Rows, project: str | None = None) -> None:
        self.leases = leases
        self._rows = rows
        self._project = project

    def write(self, rows: Sequence[Row]) -> None:
        self._rows.update({(type(row), identity(row)): row_of(type(row), values(row)) for row in rows})

    def snapshot(self, stream: str) -> SnapshotRow | None:
        row = self._rows.get((SnapshotRow, (stream,)))
        return row if isinstance(row, SnapshotRow) else None

    async def runs(self, *, limit: int = 20, unended: bool = False) -> Sequence[RunRow]:
        def newness(row: RunRow) -> tuple[bool, float, str]:
            return row.started_at is None, row.started_at or 0.0, row.run

        newest = sorted(self._all(RunRow), key=newness, reverse=True)[:limit]
        return [row for row in newest if row.ended_at is None or not unended]

    async def run(self, run: str) -> RunRow | None:
        found = {row.run: row for row in self._all(RunRow) if row.run.startswith(run)}
        return found.get(run) or (next(iter(found.values())) if len(found) == 1 else None)

    async def stories(self, run: str, *, story: str = "", status: str = "") -> Sequence[StoryRow]:
        found = [row for row in self._all(StoryRow) if row.run == run and row.story == (story or row.story)]
        wanted = (row for row in found if row.status == (status or row.status))
        return sorted(wanted, key=lambda row: (row.position, row.story))

    async def open_stories(self, since: float) -> Sequence[StoryRow]:
        runs = {row.run for row in self._all(RunRow) if row.ended_at is None or row.ended_at >= since}
        found = [row for row in self._all(StoryRow) if row.run in runs and row.status in OPEN]
        found.sort(key=lambda row: (row.position, row.story))
        return sorted(found, key=lambda row: row.run, reverse=True)

    async def story_counts(self, run: str) -> Mapping[str, int]:
        return Counter(row.status for row in await self.stories(run) if row.story != FRAME)

    async def steps(self, run: str, story: str = "", *, status: str = "") -> Sequence[StepRow]:
        found = [row for row in self._all(StepRow) if row.run == run and (row.story == story or not story)]
        wanted = (row for row in found if row.position >= 0 and row.status == (status or row.status))
        return sorted(wanted, key=lambda row: (row.story, row.position, row.step))

    async def profiles(self, *, limit: int = 1000) -> Sequence[ProfileRow]:
        found = sorted(self._all(ProfileRow), key=lambda row: row.role)
        found.sort(key=lambda row: (row.started_at is None, row.started_at or 0.0, row.run, row.story), reverse=True)
        return found[:limit]

    async def spent(self, run: str) -> Sequence[SpentRow]:
        found = (row for row in self._all(SpentRow) if row.run == run)
        return sorted(found, key=lambda row: (row.story, row.agent, row.model))

    async def waited(self, run: str, story: str = "") -> Sequence[WaitedRow]:
        found = (row for row in self._all(WaitedRow) if row.run == run and (row.story == story or not story))
        return sorted(found, key=lambda row: (row.story, row.number))

    async def attempts(
        self, run: str, story: str = "", *, since: float = 0.0, until: float = math.inf
    ) -> Sequence[AttemptRow]:
        found = attempts_in((row for row in self._all(AttemptRow) if row.run == run), story, since, until)
        return sorted(found, key=lambda row: (row.story, row.position))

    async def attempt_sums(self, run: str, before: float) -> Sequence[AttemptSum]:
        return sums_of((row for row in self._all(AttemptRow) if row.run == run), before)

    async def holder(self, run: str) -> Lease | None:
        held = (lease for lease in await self.leases.holders() if lease.resource == run)
        return next(held, None) if self._is_own(run) else None

    def _all[R: (RunRow, StoryRow, StepRow, ProfileRow, SpentRow, WaitedRow, AttemptRow)](
        self, kind: type[R]
    ) -> list[R]:
        return [row for row in tuple(self._rows.values()) if isinstance(row, kind) and self._is_own(row.run)]

    def _is_own(self, run: str) -> bool:
        row = self._rows.get((RunRow, (run,)))
        return self._project is None or (isinstance(row, RunRow) and row.project == self._project)


class MemoryEventStore:
    """See `ports.store.EventStore`."""

    def __init__(self, views: MemoryViews) -> None:
        self._lock = threading.Lock()
        self._views = views
        self.fence: Fence | None = None
        self._streams: defaultdict[str, list[Recorded]] = defaultdict(list)

    def under(self, fence: Fence) -> Self:
        fenced = copy.copy(self)
        fenced.fence = fence
        return fenced

    async def append(
        self, stream: Stream, facts: Sequence[Fact], *, expected: int, key: str, rows: Sequence[Row] = ()
    ) -> int:
        with self._lock, self._views.leases.lock:
            if self.fence and not self._views.leases.keeps(self.fence):
                raise LeaseLostError(f"the lease for writing {stream} now belongs to another process")
            history = self._streams[stream]
            held = [entry.version for entry in history if entry.key == key]
            if held:
                return held[-1]
            if len(history) != expected:
                raise VersionConflictError(f"stream {stream} is at version {len(history)}, not at {expected}")
            added = [
                Recorded(stream=stream, version=version, key=key, fact=_stored(fact))
                for version, fact in enumerate(facts, start=expected + 1)
            ]
            self._views.write(rows)
            history.extend(added)
            return len(history)

    async def read(
        self, stream: Stream, *, after: int = 0, upto: int | None = None, kinds: Kinds = (), naming: str = ""
    ) -> Sequence[Recorded]:
        return of_kinds(self._history(stream)[after:upto], kinds, naming)

    async def version(self, stream: Stream) -> int:
        return len(self._history(stream))

    async def snapshot(self, stream: Stream) -> SnapshotRow | None:
        return self._views.snapshot(stream)

    def drop(self, stream: Stream) -> None:
        with self._lock:
            self._streams.pop(stream, None)

    def _history(self, stream: Stream) -> Sequence[Recorded]:
        with self._lock:
            return tuple(self._streams.get(stream, ()))


class MemoryRetention:
    """See `ports.store.Retention`."""

    def __init__(self, events: MemoryEventStore, inbox: "MemoryInbox", rows: Rows) -> None:
        self._events = events
        self._inbox = inbox
        self._rows = rows

    async def remove(self, archived: RunRow, versions: Mapping[Stream, int], messages: int, fence: Fence) -> None:
        if await self._inbox.receive(stream := run_stream(RunId(archived.run)), after=messages):
            raise VersionConflictError(f"{stream} has received a request meanwhile")
        # Appending nothing checks lease and version.
        for stream, version in versions.items():
            await self._events.under(fence).append(stream, (), expected=version, key="removed")
        for stream in versions:
            self._events.drop(stream)
            self._inbox.drop(stream)
        gone = (StoryRow, StepRow, SpentRow, WaitedRow, AttemptRow)
        for place in [place for place, row in self._rows.items() if isinstance(row, gone) and row.run == archived.run]:
            del self._rows[place]
        self._rows[RunRow, (archived.run,)] = archived


def _stored(fact: Fact) -> Fact:
    # Through the codec and JSON, so that a fact that cannot be stored fails here as it would in a database.
    encoded = encode(fact)
    return decode(encoded.kind, encoded.version, json.loads(json.dumps(encoded.body)))


class MemoryInbox:
    """See `ports.store.Inbox`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wake_ups = WakeUps()
        self._messages: defaultdict[str, dict[str, tuple[int, str]]] = defaultdict(dict)

    async def post(self, target: Stream, key: str, body: dict[str, Any], *, after: int | None = None) -> bool:
        text = json.dumps(body)
        with self._lock:
            messages = self._messages[target]
            if key in messages or (after is not None and len(messages) > after):
                return False
            messages[key] = (len(messages) + 1, text)
        self._wake_ups.wake(target)
        return True

    def drop(self, target: Stream) -> None:
        with self._lock:
            self._messages.pop(target, None)

    async def posted(self, target: Stream, key: str) -> bool:
        with self._lock:
            return key in self._messages.get(target, {})

    async def receive(self, target: Stream, *, after: int) -> Sequence[Message]:
        with self._lock:
            messages = tuple(self._messages.get(target, {}).items())
        return [
            Message(position=position, key=key, body=json.loads(text))
            for key, (position, text) in messages
            if position > after
        ]

    async def wait(self, target: Stream, *, after: int, seconds: float | None = None) -> Sequence[Message]:
        return await first_messages(self._wake_ups, target, lambda: self.receive(target, after=after), seconds)

    async def unread(self, cursors: Mapping[Stream, int]) -> frozenset[Stream]:
        with self._lock:
            return frozenset(target for target, after in cursors.items() if len(self._messages.get(target, {})) > after)

    def listen(self, woken: Callable[[Stream], None]) -> AbstractContextManager[None]:
        return self._wake_ups.listening(woken)
