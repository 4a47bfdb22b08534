"""The history and what is kept beside it: streams of facts, inboxes, and leases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.ports.views import Lease, Owner, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A fact in its place: `version` counts the facts of a stream from 1, `key` names the effect that gave it."""

    stream: Stream
    version: int
    key: str
    fact: Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Something said to a stream's owner; `position` only grows within one inbox."""

    position: int
    key: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """What a writer must still hold when it writes: the lease on a resource, in the epoch in which it has taken it."""

    resource: str
    executor: str
    epoch: int


class EventStore(Protocol):
    """Streams of facts, one writer each."""

    def under(self, fence: Fence) -> Self:
        """The same streams for a writer that holds a lease: where it does not any more, `append` raises LeaseLostError
        and changes nothing. Whether it does is found out in the transaction itself: no takeover comes in between.
        """
        ...

    async def append(
        self, stream: Stream, facts: Sequence[Fact], *, expected: int, key: str, rows: Sequence[Row] = ()
    ) -> int:
        """Add facts and write their view rows in one transaction; give the stream's new version.

        `expected` is the version the caller has seen: anything else raises VersionConflictError and changes nothing.
        Once per key: a second call with a key that the stream already holds changes nothing and gives the version of
        that key's last fact, whatever `expected` says. A row replaces the one with the same identity.
        """
        ...

    async def read(self, stream: Stream, *, after: int = 0, upto: int | None = None) -> Sequence[Recorded]:
        """The facts with `after` < version <= `upto`, in order; a stream nobody wrote to is empty."""
        ...

    async def version(self, stream: Stream) -> int:
        """The number of facts in the stream."""
        ...


class Inbox(Protocol):
    """Messages to the owners of streams: intents of people, answers of other jobs."""

    async def post(self, target: Stream, key: str, body: dict[str, Any]) -> None:
        """Leave a message, once per target and key: a second call changes nothing, even if the body differs."""
        ...

    async def posted(self, target: Stream, key: str) -> bool:
        """Whether there is, or ever was, a message with that key."""
        ...

    async def receive(self, target: Stream, *, after: int) -> Sequence[Message]:
        """The messages after a position, in order; returns at once, with none where there are none."""
        ...

    async def wait(self, target: Stream, *, after: int) -> Sequence[Message]:
        """As `receive`, but returns only when there is at least one; messages of other processes are seen too."""
        ...


class Leases(Protocol):
    """Who works on what; no lease outlives its holder."""

    async def acquire(
        self, resource: str, owner: Owner, *, replacing: Owner | None = None, older_than: float = 0.0
    ) -> Lease | None:
        """Take the resource, or the place of the owner named by `replacing`; give None on success.

        That place is taken only where its last sign of life is older than so many seconds, and this is judged in the
        same statement: a holder that has given one meanwhile keeps its place. Where another owner holds it, nothing
        changes and its lease is given. Acquiring what one holds renews it; any other success begins a new epoch.
        """
        ...

    async def renew(self, owner: Owner) -> Mapping[str, int]:
        """Give a sign of life for all that the owner holds; the resources still held are given, each with its epoch.

        An epoch is greater than every earlier one of the same resource.
        """
        ...

    async def leave(self, owner: Owner) -> None:
        """Work on nothing more, and keep the leases: they say who was the last. From now on each is very old:
        a process which cannot know whether the owner lives may take its place. A sign of life takes it back.
        """
        ...

    async def release(self, resource: str, owner: Owner) -> None:
        """Let go; nothing happens where the owner does not hold it."""
        ...

    async def holders(self) -> Sequence[Lease]:
        """All leases, in the order of their resources."""
        ...
