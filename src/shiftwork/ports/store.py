"""The history and what is kept beside it: streams of facts, views of them, inboxes, and leases."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.ids import Stream


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
class RunRow:
    """A run as lists show it."""

    run: str
    title: str
    status: str
    workflow: str
    agent: str
    branch: str
    stories: int
    completed: int
    failed: int
    cost_usd: float | None
    started_at: float | None
    ended_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRow:
    """A story as lists show it; `position` is its place in the spec."""

    run: str
    story: str
    position: int
    title: str
    status: str
    step: str
    landing: str
    commit: str
    ref: str
    waiting: str
    failure: str
    cause: str
    cost_usd: float | None
    input_tokens: int
    output_tokens: int
    started_at: float | None
    ended_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """A step as lists show it; `position` is its place in the pipeline."""

    run: str
    story: str
    step: str
    position: int
    name: str
    type: str
    kind: str
    status: str
    description: str
    attempts: int
    restarts: int
    notes: str
    error: str
    skip_reason: str
    cost_usd: float | None
    input_tokens: int
    output_tokens: int
    started_at: float | None
    ended_at: float | None
    log: str


type Row = RunRow | StoryRow | StepRow


class EventStore(Protocol):
    """Streams of facts, one writer each."""

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

    async def find(self, stream: Stream, key: str) -> Sequence[Recorded]:
        """The facts that were appended under the key, in order; none where it never was."""
        ...

    async def version(self, stream: Stream) -> int:
        """The number of facts in the stream."""
        ...


class Inbox(Protocol):
    """Messages to the owners of streams: intents of people, answers of other jobs."""

    async def post(self, target: Stream, key: str, body: dict[str, Any]) -> None:
        """Leave a message, once per target and key: a second call changes nothing, even if the body differs."""
        ...

    async def receive(self, target: Stream, *, after: int) -> Sequence[Message]:
        """The messages after a position, in order; returns at once, with none where there are none."""
        ...

    async def wait(self, target: Stream, *, after: int) -> Sequence[Message]:
        """As `receive`, but returns only when there is at least one; messages of other processes are seen too."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A process that works on something: enough to tell on the same host whether it still lives."""

    executor: str
    host: str
    pid: int
    pid_started: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Who holds a resource, and how old their last sign of life is by the database's clock, in seconds."""

    resource: str
    owner: Owner
    age: float


class Leases(Protocol):
    """Who works on what; no lease outlives its holder."""

    async def acquire(self, resource: str, owner: Owner, *, replacing: Owner | None = None) -> Lease | None:
        """Take the resource, or the place of the owner named by `replacing`; give None on success.

        Where another owner holds it, nothing changes and its lease is given. Acquiring what one holds renews it.
        """
        ...

    async def renew(self, owner: Owner) -> Sequence[str]:
        """Give a sign of life for all that the owner holds; the resources still held are given."""
        ...

    async def release(self, resource: str, owner: Owner) -> None:
        """Let go; nothing happens where the owner does not hold it."""
        ...

    async def holders(self) -> Sequence[Lease]:
        """All leases, in the order of their resources."""
        ...


class Queries(Protocol):
    """The views, for front ends; reading never waits for a writer."""

    async def runs(self, *, limit: int = 20) -> Sequence[RunRow]:
        """Newest first."""
        ...

    async def run(self, run: str) -> RunRow | None:
        """One run, by its id or by a beginning of the id that only one run has."""
        ...

    async def stories(self, run: str) -> Sequence[StoryRow]:
        """In the order of the spec."""
        ...

    async def steps(self, run: str, story: str) -> Sequence[StepRow]:
        """In the order of the pipeline."""
        ...
