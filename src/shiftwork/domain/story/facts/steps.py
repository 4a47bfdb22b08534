"""Facts about the steps of a story: attempts, routes, questions, edits, notes, evidence and the loop."""

from enum import StrEnum

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StepId, StoryId
from shiftwork.domain.memory.notes import Scope
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.edit_request import Edit
from shiftwork.records import dataclass


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
    """The attempt produced its result. `decision` is the decision of a deciding step, and `verdict` its reason."""

    step: StepId
    attempt: int
    commit: Commit
    notes: str
    outputs: tuple[tuple[str, str], ...]
    usage: Usage
    decision: str = ""
    verdict: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryMissed(Fact):
    """The attempt produced its result except for the summary. Its work is kept, and the step loses no retry: the next
    attempt asks for the summary in the same `session`, whose files are in `home`. If that fails, `note` replaces it.
    """

    step: StepId
    attempt: int
    commit: Commit
    outputs: tuple[tuple[str, str], ...]
    usage: Usage
    session: str
    home: str
    note: str
    decision: str = ""
    verdict: str = ""


class Trouble(StrEnum):
    """How an attempt failed."""

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
    """The worker died during the attempt, its git process was killed at the end, or a person `restarted` the step: it
    runs again from its start commit, in a new workspace, and loses no retry. There is no `usage` if the worker died.
    """

    step: StepId
    attempt: int
    diff: str
    usage: Usage | None = None
    restarted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRetried(Fact):
    """A failed or cancelled step returns to pending; `feedback` goes into its next prompt."""

    step: StepId
    feedback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRouted(Fact):
    """The story followed a decision: forward to `target`, skipping the steps between, or `back` to it, so that all
    steps from there to the deciding step run again; without a target, to the next step. After a route back, `feedback`
    goes into the target's next prompt. The keys in `clear` were removed from the context. `ended` says why the rounds
    of the step have ended, if they have; without a target, the rest of the round is then skipped.
    """

    step: StepId
    value: str
    target: StepId
    back: bool
    feedback: str
    clear: tuple[str, ...] = ()
    ended: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked(Fact):
    """The attempt ended with a question to a person. Its work is kept, and the step loses no retry: it continues from
    there after the answer.
    """

    step: StepId
    attempt: int
    question: str
    options: tuple[str, ...]
    commit: Commit
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowEditRequested(Fact):
    """A person asked for edits of the steps. The story applies or rejects them before it does anything else."""

    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowEdited(Fact):
    """A request was applied completely; `before` and `after` are the pipeline as `id type status description` rows."""

    by: str
    edits: tuple[Edit, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepYielded(Fact):
    """The attempt ended by its own edit: the step restarts, or runs again after the steps that it has added."""

    step: StepId
    attempt: int
    commit: Commit
    usage: Usage
    diff: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowEditRejected(Fact):
    """A request was rejected completely; an agent, or the person, receives the reason."""

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
    """A step of the run's own pipeline has divided the work into stories; a later plan replaces an earlier plan."""

    by: StepId
    stories: tuple[Story, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopBegun(Fact):
    """The run may start its stories; the work before them has landed."""

    step: StepId
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopEnded(Fact):
    """The run has no story left to work on. `failed` are those that did not land."""

    round: int
    landed: int
    failed: tuple[StoryId, ...]
    context: tuple[tuple[str, str], ...]
