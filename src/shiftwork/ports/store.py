"""The history and the data beside it: streams of facts, inboxes, leases, and archives of old runs."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, Self

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.core.plain import to_plain
from shiftwork.ports.views import Lease, Owner, Queries, Row, RunRow, SnapshotRow
from shiftwork.records import dataclass

type Kinds = Collection[type[Fact]]
"""Some kinds of facts; none means all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A stored fact: `version` counts the facts of a stream from 1, `key` names the effect that produced it."""

    stream: Stream
    version: int
    key: str
    fact: Fact


def of_kinds(recorded: Sequence[Recorded], kinds: Kinds, naming: str = "") -> Sequence[Recorded]:
    """Those that `History.read` gives, for stores that hold facts and not their texts."""
    wanted = tuple(kinds)
    found = [entry for entry in recorded if isinstance(entry.fact, wanted)] if wanted else recorded
    return [entry for entry in found if naming in str(to_plain(entry.fact))] if naming else found


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message to a stream's owner; `position` increases within an inbox."""

    position: int
    key: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """What a writer must still hold when it writes: the lease on a resource, in the epoch in which it acquired it."""

    resource: str
    executor: str
    epoch: int


class History(Protocol):
    """Streams of facts."""

    async def read(
        self, stream: Stream, *, after: int = 0, upto: int | None = None, kinds: Kinds = (), naming: str = ""
    ) -> Sequence[Recorded]:
        """The facts with `after` < version <= `upto`, in order, of all kinds or of some; an unknown stream is empty.

        `naming` is an id, or a part of one: only facts that have it in one of their values are read, and perhaps some
        where it differs in case. So a reader decodes little of a stream that concerns many runs.
        """
        ...

    async def version(self, stream: Stream) -> int:
        """The number of facts in the stream."""
        ...

    async def snapshot(self, stream: Stream) -> SnapshotRow | None:
        """The last snapshot among the rows that were written with the stream's facts, if any."""
        ...


class Reader(Queries, Protocol):
    """The views and the history, over one connection."""

    @property
    def history(self) -> History: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A stored fact and its place in the one order of all facts; `size` is the length of what is stored.

    A fact that only a newer release can read is a bare `Fact` with its time.
    """

    position: int
    recorded: Recorded
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPart:
    """Facts in order. The next part begins after `upto`, which may be the place of a fact of another project."""

    facts: tuple[Placed, ...]
    upto: int


class FactFeed(Protocol):
    """The facts of all runs and stories of a project in one order, for a reader that follows them."""

    async def after(self, position: int, *, limit: int) -> FeedPart:
        """The facts after a place, of at most `limit` stored ones. What a part has passed is final: no fact becomes
        visible later at or before its `upto`.
        """
        ...

    async def tail(self, size: int) -> int:
        """A place after which the facts have at most about `size` bytes, and after which `after` can begin."""
        ...

    async def written(self) -> object:
        """A mark that is equal to an earlier one only if no other connection has changed the database in between."""
        ...

    async def changed(self) -> None:
        """Returns when a fact may have been added since the last call."""
        ...


class EventStore(History, Protocol):
    """Streams of facts, each with a single writer."""

    def under(self, fence: Fence) -> Self:
        """The same streams for a writer that holds a lease: once the lease is lost, `append` raises LeaseLostError and
        changes nothing. The check is in the same transaction, so no takeover can happen in between.
        """
        ...

    async def append(
        self, stream: Stream, facts: Sequence[Fact], *, expected: int, key: str, rows: Sequence[Row] = ()
    ) -> int:
        """Append facts and write their view rows in one transaction; returns the stream's new version.

        `expected` is the version the caller has seen: if it differs, VersionConflictError is raised and nothing
        changes. Once per key: a second call with a key that the stream already has changes nothing and returns the
        version of that key's last fact, whatever `expected` is. A row replaces the row with the same identity.
        """
        ...


class MessageBox(Protocol):
    """Messages to the owners of streams: requests from people, answers from other jobs."""

    async def post(self, target: Stream, key: str, body: dict[str, Any], *, after: int | None = None) -> bool:
        """Post a message, once per target and key: a second call changes nothing, even if the body differs.

        With `after`, only if the target has no message after that position. This is checked in the same transaction:
        of several callers that have seen the same messages, one posts. Returns whether this call has stored the
        message. After a lost connection an adapter may repeat itself and return False for a message that it has stored.
        """
        ...

    async def posted(self, target: Stream, key: str) -> bool:
        """Whether a message with that key exists or ever existed."""
        ...

    async def receive(self, target: Stream, *, after: int) -> Sequence[Message]:
        """The messages after a position, in order; returns at once, empty if there are none."""
        ...


class Inbox(MessageBox, Protocol):
    """Messages for a process that also waits for them."""

    async def wait(self, target: Stream, *, after: int, seconds: float | None = None) -> Sequence[Message]:
        """Like `receive`, but waits for the first message, also of another process, for at most so many seconds.

        Only waiting has this limit: a read takes as long as the store takes, and what it finds is returned. After the
        limit it reads once more, so an empty result says that no message was there when that read began.
        """
        ...

    async def unread(self, cursors: Mapping[Stream, int]) -> frozenset[Stream]:
        """The targets that have a message after the position that is given for each."""
        ...

    def listen(self, woken: Callable[[Stream], None]) -> AbstractContextManager[None]:
        """Call `woken` on this event loop with the target of each message that is posted while the context is open, by
        this process or any other. One call may stand for several messages of a target; a call for a message that was
        posted shortly before is possible.
        """
        ...


class Arrivals(Protocol):
    """Which inboxes have new messages."""

    async def arrived(self) -> frozenset[Stream]:
        """The targets of the messages that any process has posted since the last call; none at the first call."""
        ...


class Leases(Protocol):
    """Which process works on what; no lease outlives its holder."""

    async def acquire(
        self, resource: str, owner: Owner, *, replacing: Owner | None = None, older_than: float = 0.0
    ) -> Lease | None:
        """Acquire the resource, or take over from the owner `replacing`; returns None on success.

        A takeover succeeds only if the owner's last heartbeat is older than `older_than` seconds. This is checked in
        the same statement: a holder that has sent a heartbeat meanwhile keeps its lease. If another owner holds the
        lease, nothing changes and that lease is returned. Acquiring a lease that the owner already holds renews it; any
        other success starts a new epoch.
        """
        ...

    async def renew(self, owner: Owner) -> Mapping[str, int]:
        """Send a heartbeat for all leases of the owner; returns the resources still held, each with its epoch.

        An epoch is greater than every earlier epoch of the same resource.
        """
        ...

    async def leave(self, owner: Owner) -> None:
        """Stop working, and keep the leases as a record of the last owner. From now on each counts as very old: a
        process that cannot check whether the owner is alive may take over. A heartbeat reverts this.
        """
        ...

    async def release(self, resource: str, owner: Owner) -> None:
        """Release the lease; does nothing if the owner does not hold it."""
        ...

    async def holders(self) -> Sequence[Lease]:
        """All leases, sorted by resource."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """What is known about a run and its stories: all facts, stream by stream, and the rows of the views."""

    run: str
    recorded: tuple[Recorded, ...]
    rows: tuple[Row, ...]


class Archives(Protocol):
    """One file for each archived run."""

    def save(self, archive: Archive) -> str:
        """Write the archive durably and read it back; returns the name of its file. A second call replaces the file.
        Raises StoreError if the file does not hold the archive.
        """
        ...

    def load(self, run: str) -> Archive | None:
        """The archive of a run; None if it has none here."""
        ...


class Retention(Protocol):
    """Removes archived runs from the database."""

    async def remove(self, archived: RunRow, versions: Mapping[Stream, int], messages: int, fence: Fence) -> None:
        """Remove the facts and messages of these streams and the rows of the run, and write its last row, in one
        transaction. Profiles stay: later runs learn from them.

        Raises LeaseLostError if the fence does not hold, and VersionConflictError if a stream has another version or
        the run has a message after the position `messages`. Then nothing changes.
        """
        ...
