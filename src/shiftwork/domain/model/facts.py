"""Facts: what happened, in the past tense; the only things that are stored and the only things that change state.

Here are those of a story, and what all facts share; a run's and a landing queue's have modules of their own.
"""

from dataclasses import dataclass
from enum import StrEnum

from shiftwork.domain.model.editing import Edit
from shiftwork.domain.model.ids import Commit, StepId
from shiftwork.domain.model.story import (
    Assignment,
    Evidence,
    FailureCause,
    HoldCause,
    Refusal,
)
from shiftwork.domain.model.usage import Usage
from shiftwork.domain.model.workflow import StepPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """The root of all facts; `at` is when it happened, in seconds since the epoch, told by whoever performed it."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagesRead(Fact):
    """The inbox of the stream has been read up to and including a position."""

    upto: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryStarted(Fact):
    assignment: Assignment
    steps: tuple[StepPlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspacePrepared(Fact):
    """A workspace was laid out from `base`; `number` counts a story's workspaces from 1."""

    number: int
    base: Commit
    head: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceLost(Fact):
    """The workspace is gone or unusable; the next one is laid out at another path."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceReleased(Fact):
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStarted(Fact):
    step: StepId
    attempt: int
    commit: Commit
    log: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCompleted(Fact):
    step: StepId
    attempt: int
    commit: Commit
    notes: str
    outputs: tuple[tuple[str, str], ...]
    usage: Usage


class Trouble(StrEnum):
    """How an attempt went wrong."""

    CRASHED = "crashed"
    API_ERROR = "api_error"
    CONTRACT = "contract"
    TIMED_OUT = "timed_out"
    SILENT = "silent"
    FLOODED = "flooded"
    GATES = "gates"
    REJECTED = "rejected"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFailed(Fact):
    """The attempt ended without its result; its changes are kept as a diff and undone."""

    step: StepId
    attempt: int
    trouble: Trouble
    error: str
    usage: Usage
    diff: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCancelled(Fact):
    """The attempt was ended from outside: by its time limit, its silence, or a person."""

    step: StepId
    attempt: int
    trouble: Trouble
    error: str
    usage: Usage
    diff: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepInterrupted(Fact):
    """The worker died in the middle of the attempt: the step runs again from its start commit, in a new workspace,
    and none of its retries is spent.
    """

    step: StepId
    attempt: int
    diff: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRetried(Fact):
    """A failed or cancelled step returns to pending; `feedback` goes into its next prompt."""

    step: StepId
    feedback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowEdited(Fact):
    """One request was applied whole; `before` and `after` are the pipeline as `id type status description` rows."""

    by: str
    edits: tuple[Edit, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepYielded(Fact):
    """The attempt ended by its own edit: restarted from its start, or put back behind the work it has added."""

    step: StepId
    attempt: int
    commit: Commit
    usage: Usage
    diff: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowEditRejected(Fact):
    """A request was refused whole; the reason is told to the agent."""

    by: str
    request: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteWritten(Fact):
    by: StepId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceReported(Fact):
    by: StepId
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryHeld(Fact):
    cause: HoldCause
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReleased(Fact):
    """A person answered: `granted` goes on (with a new limit where one was the cause), refused fails the story."""

    granted: bool
    answer: str
    limit_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryCancelRequested(Fact):
    """A person asked for the end of the story, or of its run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingRequested(Fact):
    number: int
    tip: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingAccepted(Fact):
    """The changes are on the base: `ref` is where, which is another branch when moving the base was not safe."""

    commit: Commit
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingRefused(Fact):
    cause: Refusal
    detail: str
    files: tuple[str, ...]
    base: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class MendingPlanned(Fact):
    """After a refusal: a step that mends it stands before the last one, which runs again."""

    cause: Refusal
    type: str
    description: str
    feedback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseMerged(Fact):
    """What has landed since was merged into the work; conflict markers stand in `files`."""

    commit: Commit
    base: Commit
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryCompleted(Fact):
    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryFailed(Fact):
    cause: FailureCause
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReported(Fact):
    """The run has been told how the story ended."""
