"""The state of the work on one story."""

from enum import StrEnum

from shiftwork.domain.agents.rate_limit import Wait, Waited
from shiftwork.domain.budget.amounts import Allowance, Reached
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import FRAME, Commit, StepId
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.core.refusal import Refusal, RefusalText
from shiftwork.domain.gates.gate import GateReport, PassedGates
from shiftwork.domain.memory.notes import Note, Shelf
from shiftwork.domain.notices.notice import Noticing
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.spec import spec
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.tampering.findings import NOTHING_TOUCHED, Inspection
from shiftwork.domain.usage.usage import NOTHING_USED, Share, Usage
from shiftwork.domain.workflow.edit_request import Edit
from shiftwork.domain.workflow.pipeline import Pipeline
from shiftwork.records import dataclass


class StoryStatus(StrEnum):
    """The status of a story; `transitions` has the only table of changes."""

    UNCLAIMED = "unclaimed"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNDONE = "undone"
    MISSING = "missing"
    BLOCKED = "blocked"


ENDED = frozenset(
    {StoryStatus.COMPLETED, StoryStatus.FAILED, StoryStatus.CANCELLED, StoryStatus.UNDONE, StoryStatus.MISSING}
)


class LandingStage(StrEnum):
    """The progress of the landing, as far as the story knows it."""

    NONE = "none"
    REQUESTED = "requested"
    REFUSED = "refused"
    LANDED = "landed"


class HoldCause(StrEnum):
    """What a waiting story needs from a person."""

    LIMIT = "limit"
    APPROVAL = "approval"
    CHANGED = "changed"
    EXHAUSTED = "exhausted"
    QUESTION = "question"
    EVIDENCE = "evidence"
    DEPENDENCIES = "dependencies"
    MESSAGE = "message"


class FailureCause(StrEnum):
    """Why a story failed or is undone, for callers that must distinguish the kinds."""

    STEP = "step"
    REFUSED = "refused"
    WORKSPACE = "workspace"
    CANCELLED = "cancelled"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """The story waits until a person answers; `detail` is the text shown to them, `options` are their choices.
    `reached` is the limit that the story has reached, if there is one and it was recorded.
    """

    cause: HoldCause
    detail: str
    options: tuple[str, ...] = ()
    reached: Reached | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The last refusal, for the step that must repair it. `broken` are gates that are red on the base too.
    `candidate` is the refused commit, until a person has rejected it, and `message` the one that a hook has refused.
    """

    cause: Refusal
    text: RefusalText
    files: tuple[str, ...] = ()
    base: Commit = Commit("")
    broken: tuple[str, ...] = ()
    candidate: Commit = Commit("")
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failure of the gates on the story's candidate; the same `digest` means the same failure."""

    digest: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """What the agents of a story have said, and what they are given to read."""

    context: tuple[tuple[str, str], ...] = ()
    notes: Shelf = Shelf()
    evidence: tuple[Evidence, ...] = ()
    messages: tuple[str, ...] = ()  # from the harness to them
    delivered: int = 0  # how many of those the attempt in progress has received
    answers: tuple[tuple[str, str], ...] = ()  # the agents' questions, with a person's answers
    planned: tuple[spec.Story, ...] = ()  # the stories that a step has planned
    rejected: tuple[Note, ...] = ()  # the last rejected edits, each with its author and the reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The work itself: `workspace` counts the workspaces created; the last exists while it is `ready`."""

    workspace: int = 0
    ready: bool = False
    released: bool = False
    base: Commit = Commit("")  # what the work is based on
    head: Commit = Commit("")  # the work so far
    origin: Commit = Commit("")  # the base of the first workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """The story's progress through the landing queue, and what a person approves before it lands."""

    progress: LandingStage = LandingStage.NONE
    requests: int = 0
    withdrawing: int = 0  # the number of the last request withdrawn
    refused: Refused | None = None
    repairs: int = 0
    conflicts: int = 0
    earlier: tuple[int, int] = (0, 0)  # repairs and conflicts before these two were reset
    failures: tuple[Failure, ...] = ()  # failures of the gates on its candidates
    escalated: str = ""  # the profile assigned after the same failure twice
    inspection: Inspection = NOTHING_TOUCHED  # changes of the story to tests
    signing: StepId = StepId("")  # the approval step that ends its workflow
    approved: Patch | None = None  # the last approved patch, unless rejected since
    rejected: str = ""  # why a person rejected the last patch that they were asked about
    passed: PassedGates | None = None  # the verdict after which a person was last asked
    borrowing: Commit = Commit("")  # the work that a person allows to land without its own environment
    subject: str = ""  # the subject of its commit, in a person's words
    allowed_message: str = ""  # the message that a person lets land although a hook has refused it

    @property
    def attempts_at_repair(self) -> tuple[int, int]:
        """All repairs and all conflicts, including those before their counters were reset."""
        repairs, conflicts = self.earlier
        return repairs + self.repairs, conflicts + self.conflicts


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """The commit that has landed, and its proof."""

    commit: Commit
    base: Commit
    ref: str
    report: GateReport | None = None
    proof: ProofReport | None = None
    certificate: str = ""  # its digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed:
    """What a person has confirmed about the criteria that no check covers, and for which commit."""

    text: str
    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How a story waits for a person; `holds` counts the waits, and `reported` means that the run knows."""

    hold: Hold | None = None
    holds: int = 0
    reported: bool = False
    noticing: Noticing = Noticing()


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimits:
    """How a story waits until an agent's limit ends."""

    wait: Wait | None = None
    deferrals: int = 0  # the limits met so far
    limited: tuple[tuple[str, float], ...] = ()  # until when each profile must not be used
    waited: tuple[Waited, ...] = ()  # all waits, for a person or for a limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Money and tokens. `limits` are those that hold now."""

    limits: Limits = Limits()
    raises: int = 0  # how often the limits had been changed when these were set
    claims: int = 0  # for an allowance, one per attempt
    claiming: bool = False  # the last claim has no answer yet
    allowance: Allowance | None = None
    unreserved: Usage | None = None  # used without an allowance and not yet recorded by the run
    usage: Usage = NOTHING_USED
    shares: tuple[Share, ...] = ()  # of `usage`, by profile and model
    roles: tuple[tuple[str, Usage], ...] = ()  # of `usage`, by role, including steps that no longer exist


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """What users have asked for."""

    cancelled: bool = False
    unwanted: bool = False  # a person cancelled it, rather than answered no
    answer: str = ""  # why a person answered no
    paused: bool = False
    edits: tuple[tuple[Edit, ...], ...] = ()  # requests to change steps that are not answered yet, the oldest first
    edited: int = 0  # how many of these requests were answered


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Why a story failed or is undone, and whether its end was reported to the run."""

    reason: str = ""
    cause: FailureCause | None = None
    reported: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryState:
    """The fold of a story's facts."""

    assignment: Assignment | None = None
    status: StoryStatus = StoryStatus.UNCLAIMED
    pipeline: Pipeline = Pipeline()
    routing: StepId = StepId("")  # the step whose decision is not followed yet
    cursor: int = 0  # how far its inbox is read
    start_number: int = 1  # how often it was started
    started_at: float | None = None
    ended_at: float | None = None

    work: Work = Work()
    dialogue: Dialogue = Dialogue()
    landing: Landing = Landing()
    landed: Landed | None = None
    confirmed: Confirmed | None = None
    waiting: Waiting = Waiting()
    rate_limit: RateLimits = RateLimits()
    spending: Spending = Spending()
    control: Control = Control()
    outcome: Outcome = Outcome()

    @property
    def given(self) -> Assignment:
        """The assignment. Raises `LookupError` before the story has started."""
        if self.assignment is None:
            raise LookupError("the story has not started")
        return self.assignment

    @property
    def since(self) -> Commit:
        """The commit that the work is compared with. For the run's own steps that is where the run began: what its
        stories have landed since is part of their work.
        """
        return self.work.origin if self.given.story.id == FRAME else self.work.base

    @property
    def landed_commit(self) -> Commit:
        """The commit that has landed, as facts and rows name it: empty if nothing has landed."""
        return self.landed.commit if self.landed else Commit("")

    @property
    def confirmation(self) -> str:
        """What a person has confirmed, as a certificate names it: empty if nobody has."""
        return self.confirmed.text if self.confirmed else ""

    @property
    def asks(self) -> Hold | None:
        """What the story needs from a person; None if it has ended, for example because it was cancelled."""
        return self.waiting.hold if self.status is StoryStatus.IN_PROGRESS else None
