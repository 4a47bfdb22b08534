"""The views that front ends read: rows, who works on what, how to ask. Imports nothing, because looking is quick."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

PAUSED = "paused"
"""The status that lists show of what is under way and is to begin nothing more for now."""

RESET = "reset"
"""How the words begin by which a story waits for the end of a limit of its agent's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run as lists show it. Of what its ended stories have used, `unpriced` attempts are of unknown cost. It was
    foreseen to cost from `low_usd` to `high_usd`, judging by so many `known` stories. It may use at most `max_usd` and
    `max_tokens`, and each story and each step as much as is told of them, as far as there are limits.
    `unheard` is by which channels nobody could be told how it ended, and why. `without_gates` are those that the user
    has let it continue without, one a line. It belongs to a `project`. `options` are those in force, as a JSON object.
    `undoing` are the stories whose revert was asked for and has neither landed nor been refused, one a line.
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
    story_usd: float | None = None
    story_tokens: int | None = None
    step_usd: float | None = None
    step_tokens: int | None = None
    unheard: str = ""
    without_gates: str = ""
    project: str = ""
    options: str = "{}"
    undoing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRow:
    """A story as lists show it; `position` is its place in the spec. It is `waiting` for a person or, where there is an
    `until`, for the end of a limit of its agent's, in words for people; `hold` is which answer the person is asked for.
    Where a limit is reached, `limit_of` is whose, and the columns after it say, in the units that are in the way, what
    it is, what was spent of it, and what the next attempt may need. `landing` is how far it is: `none`,
    `requested`, `waiting` for an approval, `refused` or `landed`. `refusal` is why its landing was refused, where it
    has failed for that. `tests` is what it has done to tests and gate configuration. Of one that has landed, `proof` is
    the level (see `ProofLevel`); so many of its `criteria` are `shown` to hold, and `proof_remark` names weak points.
    `tries` are the attempts of agents that have ended: of some nobody knows the cost (`unpriced`) or the tokens
    (`uncounted`), and the cost of some is `estimated` by their tokens. `unheard` is by which channels nobody could be
    told that it waits, and why.
    """

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
    until: float | None = None
    tests: str = ""
    tries: int = 0
    unpriced: int = 0
    uncounted: int = 0
    cached_tokens: int = 0
    estimated: bool = False
    hold: str = ""
    limit_of: str = ""
    limit_usd: float | None = None
    limit_tokens: int | None = None
    limit_spent_usd: float | None = None
    limit_spent_tokens: int | None = None
    limit_needed_usd: float | None = None
    limit_needed_tokens: int | None = None
    refusal: str = ""
    unheard: str = ""
    proof: str = ""
    shown: int = 0
    criteria: int = 0
    proof_remark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """A step as lists show it; `position` is its place in the pipeline, below zero once an edit has replaced it.
    What it has used is told as of a story. It was last tried from `started_at` to `ended_at`; `seconds` is how long all
    attempts took together that have ended, where that is known.
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
    cost_usd: float | None
    input_tokens: int
    output_tokens: int
    started_at: float | None
    ended_at: float | None
    log: str
    agent: str = ""
    model: str = ""
    tries: int = 0
    unpriced: int = 0
    uncounted: int = 0
    cached_tokens: int = 0
    estimated: bool = False
    seconds: float | None = None


class Verdict(StrEnum):
    """What a story's end says of those who played in it; one that is `VOID` says nothing of them."""

    OPEN = "open"
    VERIFIED = "verified"
    FAILED = "failed"
    VOID = "void"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRow:
    """A role in a story that a profile was chosen for: who, and what came of it at what cost."""

    run: str
    story: str
    role: str
    profile: str
    verdict: str
    cost_usd: float | None
    started_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentRow:
    """What a profile has used with a model in one story, told as of a story."""

    run: str
    story: str
    agent: str
    model: str
    tries: int
    unpriced: int
    uncounted: int
    cost_usd: float | None
    estimated: bool
    input_tokens: int
    cached_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitedRow:
    """A wait of a story for what is `awaited`, its `number` counted from 1; there is no `until` while it lasts."""

    run: str
    story: str
    number: int
    awaited: str
    since: float
    until: float | None


type Row = RunRow | StoryRow | StepRow | PlayedRow | SpentRow | WaitedRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A process that works on something. `host` is the name of its machine and, after a colon, a digest of machine,
    boot and pid namespace: only where all of that is the same, a pid is the same process.
    """

    executor: str
    host: str
    pid: int
    pid_started: float

    def __str__(self) -> str:
        """As people read it: `process 812 on laptop`."""
        return f"process {self.pid} on {self.host.partition(':')[0]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Who holds a resource, and how old their last sign of life is by the database's clock, in seconds."""

    resource: str
    owner: Owner
    age: float


LEASE_SECONDS: Final = 30.0
"""How long a holder elsewhere may give no sign of life before its place may be taken. Where the database does not take
one, the holder stops before that: see `Conduct.fence_seconds`.
"""


def is_gone(held: Lease, *, alive: bool | None) -> bool:
    """Where a pid says so it is known whether the holder lives; elsewhere only the age of its lease is."""
    return held.age > LEASE_SECONDS if alive is None else not alive


class Queries(Protocol):
    """The views, for front ends; reading never waits for a writer.

    Those that are confined to a project know no run of another: to them it is as if there were none.
    """

    async def runs(self, *, limit: int = 20) -> Sequence[RunRow]:
        """Newest first."""
        ...

    async def run(self, run: str) -> RunRow | None:
        """One run, by its id or by a beginning of the id that only one run has."""
        ...

    async def stories(self, run: str) -> Sequence[StoryRow]:
        """In the order of the spec."""
        ...

    async def steps(self, run: str, story: str = "") -> Sequence[StepRow]:
        """In the order of the pipeline, of one story or, where none is named, of all: those of one after another.

        Steps that an edit has replaced are left out.
        """
        ...

    async def played(self, *, limit: int = 1000) -> Sequence[PlayedRow]:
        """Newest first, of all runs."""
        ...

    async def spent(self, run: str) -> Sequence[SpentRow]:
        """By profile and model, of each story."""
        ...

    async def waited(self, run: str) -> Sequence[WaitedRow]:
        """The waits of each story, in their order."""
        ...

    async def holder(self, run: str) -> Lease | None:
        """Who works on the run, if anyone has said so and has not let go."""
        ...
