"""Facts: what happened, in the past tense; the only things that are stored and the only things that change state.

Here are what all facts share, and most of a story's; the others are in the modules whose names end in `_facts`.
"""

from dataclasses import dataclass
from enum import StrEnum

from shiftwork.domain.model.budget import Reached
from shiftwork.domain.model.editing import Edit
from shiftwork.domain.model.gate import GateReport
from shiftwork.domain.model.ids import Commit, StepId, StoryId
from shiftwork.domain.model.memory import Scope
from shiftwork.domain.model.proof import ProofReport
from shiftwork.domain.model.spec import Story
from shiftwork.domain.model.story import (
    Assignment,
    Evidence,
    FailureCause,
    HoldCause,
    Refusal,
)
from shiftwork.domain.model.tampering import NOTHING_TOUCHED, Inspection
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
class StoryReopened(Fact):
    """Another go at a story that had failed: from the step that failed, or `afresh` through these steps from the tip of
    the branch. Mail up to `cursor` was for the go before.
    """

    assignment: Assignment
    steps: tuple[StepPlan, ...]
    afresh: bool
    cursor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReverted(Fact):
    """What the story had landed is no longer on the base: `commit` took it back."""

    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryPaused(Fact):
    """The run is paused: no further attempt is begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryUnpaused(Fact):
    """The run goes on, and so does the story."""


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
    agent: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCompleted(Fact):
    """The attempt came to its result. `decision` is where it leads, in a step that decides, and `verdict` why."""

    step: StepId
    attempt: int
    commit: Commit
    notes: str
    outputs: tuple[tuple[str, str], ...]
    usage: Usage
    decision: str = ""
    verdict: str = ""


class Trouble(StrEnum):
    """How an attempt went wrong."""

    CRASHED = "crashed"
    API_ERROR = "api_error"
    CONTRACT = "contract"
    TIMED_OUT = "timed_out"
    SILENT = "silent"
    FLOODED = "flooded"
    LOOPING = "looping"
    LIMITED = "limited"
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
    """The worker died in the middle of the attempt, or a git of its was killed at its end: the step runs again from its
    start commit, in a new workspace, and none of its retries is spent. A worker that died tells no `usage`.
    """

    step: StepId
    attempt: int
    diff: str
    usage: Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRetried(Fact):
    """A failed or cancelled step returns to pending; `feedback` goes into its next prompt."""

    step: StepId
    feedback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRouted(Fact):
    """A decision was followed: on to `target`, passing over what lies between, or `back` to it, so that all from there
    to the deciding step runs again; with no target, on in order. `feedback` goes into the next prompt of a target that
    is gone back to, and `clear` was taken out of the context.
    """

    step: StepId
    value: str
    target: StepId
    back: bool
    feedback: str
    clear: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked(Fact):
    """The attempt ended with a question to a person. What it had done is kept, and it spends no retry: the step goes
    on from there once there is an answer.
    """

    step: StepId
    attempt: int
    question: str
    options: tuple[str, ...]
    commit: Commit
    usage: Usage


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
    scope: Scope = Scope.STORY


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceReported(Fact):
    by: StepId
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class StoriesPlanned(Fact):
    """A step of the run's own pipeline has broken the work into stories; a later plan replaces an earlier one."""

    by: StepId
    stories: tuple[Story, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopBegun(Fact):
    """The run was told that its stories may start; what was done before them has landed."""

    step: StepId
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopEnded(Fact):
    """No story of the run is left to be worked on. `failed` are those that did not land."""

    round: int
    landed: int
    failed: tuple[StoryId, ...]
    context: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRenewed(Fact):
    """What was done so far has landed, and the rest is done from there on."""

    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryHeld(Fact):
    cause: HoldCause
    detail: str
    reached: Reached | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReleased(Fact):
    """A person answered: `granted` goes on. What a refusal does depends on what was asked. `hold` is the number of the
    wait that is answered; 0 is whichever there is.
    """

    granted: bool
    answer: str
    hold: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingTold(Fact):
    """The run knows now that the story waits for a person, or that it does so no longer."""

    waiting: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryCancelRequested(Fact):
    """A person asked for the end of the story, or of its run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingRequested(Fact):
    """`inspection` is what the story has done to tests and gate configuration."""

    number: int
    tip: Commit
    inspection: Inspection = NOTHING_TOUCHED


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingAccepted(Fact):
    """The changes are on the base, as a commit on top of `base`: `ref` is where, which is another branch when moving
    the base was not safe. `report` and `proof` are what was found before that.
    """

    commit: Commit
    ref: str
    base: Commit = Commit("")
    report: GateReport | None = None
    proof: ProofReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingRefused(Fact):
    """`broken` are the red gates that are red on the base as well, `candidate` is the commit that was refused."""

    cause: Refusal
    detail: str
    files: tuple[str, ...]
    base: Commit
    broken: tuple[str, ...] = ()
    candidate: Commit = Commit("")

    @property
    def unapproved(self) -> bool:
        """Whether gates are green, and only the approval of a person is missing."""
        return self.cause is Refusal.APPROVAL


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRefused(Fact):
    """After a step: the work cannot land as it is, so that no further session is paid before it is repaired."""

    step: StepId
    cause: Refusal
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MendingPlanned(Fact):
    """After a refusal: a step that repairs it stands before the last one; `profile` does it, where one is named."""

    cause: Refusal
    type: str
    description: str
    feedback: str
    profile: str = ""


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
