"""Facts: what happened, in the past tense; the only things that are stored and the only things that change state.

Here are what all facts share, and most of a story's; the others are in the modules whose names end in `_facts`.
"""

from dataclasses import dataclass
from enum import StrEnum

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StepId, StoryId
from shiftwork.domain.memory.notes import Scope
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.edit_request import Edit


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
