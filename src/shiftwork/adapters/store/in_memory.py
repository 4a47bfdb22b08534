"""A store in memory, for tests and demonstrations: the same contracts, lost when the process ends."""

import copy
import json
import math
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

from shiftwork.adapters.store.sql.view_columns import identity, row_of, values
from shiftwork.adapters.store.wakeup import WakeUps, first_messages
from shiftwork.domain.codec import decode, encode
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.errors import LeaseLostError, VersionConflictError
from shiftwork.ports.store import Fence, Message, Recorded
from shiftwork.ports.views import (
    Lease,
    Owner,
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

    def __init__(self, leases: "MemoryLeases | None" = None) -> None:
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

    def __init__(self, leases: "MemoryLeases", rows: Rows, project: str | None = None) -> None:
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

    async def stories(self, run: str) -> Sequence[StoryRow]:
        return sorted((row for row in self._all(StoryRow) if row.run == run), key=lambda row: (row.position, row.story))

    async def steps(self, run: str, story: str = "") -> Sequence[StepRow]:
        found = [row for row in self._all(StepRow) if row.run == run and (row.story == story or not story)]
        return sorted((row for row in found if row.position >= 0), key=lambda row: (row.story, row.position, row.step))

    async def profiles(self, *, limit: int = 1000) -> Sequence[ProfileRow]:
        found = sorted(self._all(ProfileRow), key=lambda row: row.role)
        found.sort(key=lambda row: (row.started_at is None, row.started_at or 0.0, row.run, row.story), reverse=True)
        return found[:limit]

    async def spent(self, run: str) -> Sequence[SpentRow]:
        found = (row for row in self._all(SpentRow) if row.run == run)
        return sorted(found, key=lambda row: (row.story, row.agent, row.model))

    async def waited(self, run: str) -> Sequence[WaitedRow]:
        found = (row for row in self._all(WaitedRow) if row.run == run)
        return sorted(found, key=lambda row: (row.story, row.number))

    async def holder(self, run: str) -> Lease | None:
        held = (lease for lease in await self.leases.holders() if lease.resource == run)
        return next(held, None) if self._is_own(run) else None

    def _all[R: (RunRow, StoryRow, StepRow, ProfileRow, SpentRow, WaitedRow)](self, kind: type[R]) -> list[R]:
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

    async def read(self, stream: Stream, *, after: int = 0, upto: int | None = None) -> Sequence[Recorded]:
        return self._history(stream)[after:upto]

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

    async def remove(self, archived: RunRow, versions: Mapping[Stream, int], fence: Fence) -> None:
        # Appending nothing checks lease and version.
        for stream, version in versions.items():
            await self._events.under(fence).append(stream, (), expected=version, key="removed")
        for stream in versions:
            self._events.drop(stream)
            self._inbox.drop(stream)
        gone = (StoryRow, StepRow, SpentRow, WaitedRow)
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

    async def post(self, target: Stream, key: str, body: dict[str, Any]) -> None:
        text = json.dumps(body)
        with self._lock:
            messages = self._messages[target]
            if key in messages:
                return
            messages[key] = (len(messages) + 1, text)
        self._wake_ups.wake(target)

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

    async def wait(self, target: Stream, *, after: int) -> Sequence[Message]:
        return await first_messages(self._wake_ups, target, lambda: self.receive(target, after=after))

    def listen(self, woken: Callable[[Stream], None]) -> AbstractContextManager[None]:
        return self._wake_ups.listening(woken)


class MemoryLeases:
    """See `ports.store.Leases`."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._held: dict[str, tuple[Owner, float]] = {}
        self._epochs: defaultdict[str, int] = defaultdict(int)

    async def acquire(
        self, resource: str, owner: Owner, *, replacing: Owner | None = None, older_than: float = 0.0
    ) -> Lease | None:
        with self.lock:
            held = self._lease(resource) if resource in self._held else None
            if held is None or held.owner != owner:
                if held is not None and (held.owner != replacing or held.age < older_than):
                    return held
                self._epochs[resource] += 1
            self._held[resource] = (owner, time.monotonic())
            return None

    async def renew(self, owner: Owner) -> Mapping[str, int]:
        with self.lock:
            mine = sorted(resource for resource, (holder, _) in self._held.items() if holder == owner)
            self._held.update({resource: (owner, time.monotonic()) for resource in mine})
            return {resource: self._epochs[resource] for resource in mine}

    async def leave(self, owner: Owner) -> None:
        with self.lock:
            mine = [resource for resource, (holder, _) in self._held.items() if holder == owner]
            self._held.update(dict.fromkeys(mine, (owner, -math.inf)))

    async def release(self, resource: str, owner: Owner) -> None:
        with self.lock:
            if resource in self._held and self._held[resource][0] == owner:
                del self._held[resource]

    async def holders(self) -> Sequence[Lease]:
        with self.lock:
            return [self._lease(resource) for resource in sorted(self._held)]

    def keeps(self, fence: Fence) -> bool:
        """Whether the lease still matches the fence; call this while holding `lock`."""
        holder = self._held.get(fence.resource)
        return holder is not None and (holder[0].executor, self._epochs[fence.resource]) == (
            fence.executor,
            fence.epoch,
        )

    def _lease(self, resource: str) -> Lease:
        owner, heartbeat = self._held[resource]
        return Lease(resource=resource, owner=owner, age=time.monotonic() - heartbeat)
