"""The views that front ends read: rows, lease holders, queries. Imports little, so that reading is quick."""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, Protocol

from shiftwork.ports.rows.row_parts import AttemptSum, LandingPart, LimitPart, ProofPart, UsedPart, WaitingPart
from shiftwork.records import dataclass

PAUSED = "paused"
"""The status shown for work in progress that must not start anything new for now."""

OPEN: Final = ("in_progress", PAUSED, "failed")
"""The statuses of stories that may need a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run as lists show it. The totals cover its ended stories; the cost of `unpriced` attempts is unknown. The
    estimated cost was from `low_usd` to `high_usd`, from `known` earlier stories. `max_usd`, `max_tokens` and
    `max_sessions` limit the run; the `story_` and `step_` fields limit each story and each step; None means no limit.

    `undelivered` lists the channels that could not deliver the notice of the run's end, and why. `without_gates` are
    gates that the user has agreed to continue without, each on a line. `project` is the project it belongs to.
    `options` are the options in force, as a JSON object. `undoing` are the stories whose revert was requested and has
    neither landed nor been refused, each on a line. If the run is `archived`, that is the name of the file with its
    facts and other rows.
    """

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
    unpriced: int = 0
    estimated: bool = False
    low_usd: float | None = None
    high_usd: float | None = None
    known: int = 0
    max_usd: float | None = None
    max_tokens: int | None = None
    max_sessions: int | None = None
    story_usd: float | None = None
    story_tokens: int | None = None
    story_sessions: int | None = None
    step_usd: float | None = None
    step_tokens: int | None = None
    undelivered: str = ""
    without_gates: str = ""
    project: str = ""
    options: str = "{}"
    undoing: str = ""
    archived: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRow:
    """A story as lists show it; `position` is its place in the spec. `failure` says why it failed or cannot start, and
    `cause` is the kind of failure.
    """

    run: str
    story: str
    position: int
    title: str
    status: str
    step: str
    failure: str
    cause: str
    started_at: float | None
    ended_at: float | None
    landing: LandingPart = LandingPart()
    waiting: WaitingPart = WaitingPart()
    used: UsedPart = UsedPart()
    limit: LimitPart = LimitPart()
    proof: ProofPart = ProofPart()
    depends_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """A step as lists show it; `position` is its place in the pipeline, below zero once an edit has replaced it.

    `started_at` and `ended_at` are of the last attempt; `seconds` is the total duration of all ended attempts, if
    known.
    """

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
    started_at: float | None
    ended_at: float | None
    log: str
    agent: str = ""
    model: str = ""
    used: UsedPart = UsedPart()
    seconds: float | None = None


class Verdict(StrEnum):
    """What a story's outcome says about its assigned profiles; `VOID` says nothing about them."""

    OPEN = "open"
    VERIFIED = "verified"
    FAILED = "failed"
    VOID = "void"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileRow:
    """The profile assigned to a role in a story, with the outcome and its cost."""

    run: str
    story: str
    role: str
    profile: str
    verdict: str
    cost_usd: float | None
    started_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentRow:
    """What a profile has used with a model in a story."""

    run: str
    story: str
    agent: str
    model: str
    used: UsedPart


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitedRow:
    """A wait of a story for `awaited`; `number` counts from 1, and `until` is None while it lasts."""

    run: str
    story: str
    number: int
    awaited: str
    since: float
    until: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """An ended attempt of an agent: `number` counts the attempts of its step, and `position` those of its story in the
    order in which they ended, both from 1. `seconds` is None if unknown. `claim` is the number of the claim that an
    amount was reserved for; 0 if there was none. `diff` is the file with the changes that were undone.
    """

    run: str
    story: str
    step: str
    number: int
    position: int
    agent: str
    model: str
    ending: str
    started_at: float | None
    ended_at: float
    seconds: float | None
    used: UsedPart
    claim: int = 0
    log: str = ""
    diff: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRow:
    """The state of a stream at a version, as JSON in the `format` of the code that wrote it."""

    stream: str
    version: int
    format: int
    body: str


type Row = RunRow | StoryRow | StepRow | ProfileRow | SpentRow | WaitedRow | AttemptRow | SnapshotRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A process that does work. `host` is the name of its machine and, after a colon, a digest of machine, boot and pid
    namespace: a pid identifies the same process only if all of these are equal.
    """

    executor: str
    host: str
    pid: int
    pid_started: float

    def __str__(self) -> str:
        """For people: `process 812 on laptop`."""
        return f"process {self.pid} on {self.host.partition(':')[0]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The holder of a resource, and the age of its last heartbeat by the database's clock, in seconds."""

    resource: str
    owner: Owner
    age: float


LEASE_SECONDS: Final = 30.0
"""How long a holder on another machine may send no heartbeat before another process may take over. If the database does
not accept heartbeats, the holder stops before that: see `fence_seconds`.
"""


def is_gone(held: Lease, *, alive: bool | None) -> bool:
    """If the pid can be checked, `alive` decides; otherwise the age of the lease does."""
    return held.age > LEASE_SECONDS if alive is None else not alive


class Queries(Protocol):
    """The views, for front ends; reading never waits for a writer.

    Queries that are limited to a project do not see runs of other projects.
    """

    async def runs(self, *, limit: int = 20, unended: bool = False) -> Sequence[RunRow]:
        """Newest first; with `unended`, those of the newest `limit` runs that have not ended."""
        ...

    async def run(self, run: str) -> RunRow | None:
        """The run with this id, or with a unique id prefix."""
        ...

    async def stories(self, run: str, *, story: str = "", status: str = "") -> Sequence[StoryRow]:
        """In the order of the spec: all, or only the named one or those with a status."""
        ...

    async def open_stories(self, since: float) -> Sequence[StoryRow]:
        """The started and the failed stories of all runs that have not ended, or ended at `since` or later."""
        ...

    async def story_counts(self, run: str) -> Mapping[str, int]:
        """How many stories have each status, the run's own steps not counted."""
        ...

    async def steps(self, run: str, story: str = "", *, status: str = "") -> Sequence[StepRow]:
        """In the order of the pipeline, of the named story or else of all stories, story by story; with a status.

        Steps that an edit has replaced are left out.
        """
        ...

    async def profiles(self, *, limit: int = 1000) -> Sequence[ProfileRow]:
        """Newest first, from all runs."""
        ...

    async def spent(self, run: str) -> Sequence[SpentRow]:
        """By profile and model, for each story."""
        ...

    async def waited(self, run: str, story: str = "") -> Sequence[WaitedRow]:
        """The waits of the named story or else of each story, in order."""
        ...

    async def attempts(
        self, run: str, story: str = "", *, since: float = 0.0, until: float = math.inf
    ) -> Sequence[AttemptRow]:
        """The ended attempts of the named story or else of each story, in the order in which they ended: those that
        ended at `since` or later and began at `until` or before.
        """
        ...

    async def attempt_sums(self, run: str, before: float) -> Sequence[AttemptSum]:
        """The attempts that ended before a time, added up by story and ending."""
        ...

    async def holder(self, run: str) -> Lease | None:
        """The lease of the process that works on the run, if any."""
        ...
