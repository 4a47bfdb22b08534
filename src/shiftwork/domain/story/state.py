"""Where the work on one story stands."""

from dataclasses import dataclass
from enum import StrEnum

from shiftwork.domain.agents.rate_limit import Wait, Waited
from shiftwork.domain.budget.amounts import Allowance, Reached
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import Commit, StepId
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.memory.notes import Shelf
from shiftwork.domain.notices.notice import Noticing
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.spec import spec
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.tampering.findings import NOTHING_TOUCHED, Inspection
from shiftwork.domain.usage.usage import NOTHING_USED, Share, Usage
from shiftwork.domain.workflow.pipeline import Pipeline


class StoryStatus(StrEnum):
    """Where a story stands; `transitions` holds the only table of changes."""

    UNCLAIMED = "unclaimed"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    UNDONE = "undone"
    BLOCKED = "blocked"


ENDED = frozenset({StoryStatus.COMPLETED, StoryStatus.FAILED, StoryStatus.UNDONE})


class LandingStage(StrEnum):
    """What the story knows of its landing."""

    NONE = "none"
    REQUESTED = "requested"
    REFUSED = "refused"
    LANDED = "landed"


class HoldCause(StrEnum):
    """What a waiting story waits for a person to do."""

    LIMIT = "limit"
    APPROVAL = "approval"
    CHANGED = "changed"
    EXHAUSTED = "exhausted"
    QUESTION = "question"
    EVIDENCE = "evidence"
    DEPENDENCIES = "dependencies"


class FailureCause(StrEnum):
    """Why a story failed or is undone, where a caller must tell the kinds apart."""

    STEP = "step"
    REFUSED = "refused"
    WORKSPACE = "workspace"
    CANCELLED = "cancelled"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Nothing goes on until a person answers; `detail` is what they are told, `options` what they may choose from.
    `reached` is the limit that is in the way, where one is and it was recorded which.
    """

    cause: HoldCause
    detail: str
    options: tuple[str, ...] = ()
    reached: Reached | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The last refusal, as it is fed to the step that must repair it. `broken` are gates that are red on the base too.
    `candidate` is the commit that was refused, until a person has rejected it.
    """

    cause: Refusal
    detail: str
    files: tuple[str, ...] = ()
    base: Commit = Commit("")
    broken: tuple[str, ...] = ()
    candidate: Commit = Commit("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A time that gates were red on the story's candidate: two with the same `digest` said the same."""

    digest: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """What the agents of a story have said, and what they are given to read."""

    context: tuple[tuple[str, str], ...] = ()
    notes: Shelf = Shelf()
    evidence: tuple[Evidence, ...] = ()
    messages: tuple[str, ...] = ()  # from the harness to them
    delivered: int = 0  # so many of those the attempt in progress has been given
    answers: tuple[tuple[str, str], ...] = ()  # questions they have asked, with what a person said
    planned: tuple[spec.Story, ...] = ()  # the stories that a step has broken the work into


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The work itself: `workspace` counts those laid out, and the last is there while it is `ready`."""

    workspace: int = 0
    ready: bool = False
    released: bool = False
    base: Commit = Commit("")  # what the work grew from
    head: Commit = Commit("")  # the work so far


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """The way of a story through the landing queue, and what a person approves before it lands."""

    progress: LandingStage = LandingStage.NONE
    requests: int = 0
    withdrawing: int = 0  # the number of the last request that it has withdrawn
    refused: Refused | None = None
    repairs: int = 0
    conflicts: int = 0
    earlier: tuple[int, int] = (0, 0)  # repairs and conflicts before these two began again
    failures: tuple[Failure, ...] = ()  # what the gates have said of its candidates
    escalated: str = ""  # the profile that was called in when they said the same twice
    inspection: Inspection = NOTHING_TOUCHED  # what the story has done to tests
    signing: StepId = StepId("")  # the approval step with which its workflow ends
    approved: Patch | None = None  # what a person has approved last, and has not rejected since
    borrowing: Commit = Commit("")  # the work that a person lets land without an environment of its own

    @property
    def attempts_at_repair(self) -> tuple[int, int]:
        """All repairs and all conflicts, also those from before their limits were reset."""
        repairs, conflicts = self.earlier
        return repairs + self.repairs, conflicts + self.conflicts


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """What has landed, and what proves it; without a `commit`, nothing has."""

    commit: Commit = Commit("")
    base: Commit = Commit("")
    ref: str = ""
    report: GateReport | None = None
    proof: ProofReport | None = None
    certificate: str = ""  # its digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed:
    """What a person has confirmed of the criteria that no check covers, and the work as it was then."""

    text: str = ""
    commit: Commit = Commit("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How a story waits for a person; `holds` counts how often, and the run knows of it where it is `reported`."""

    hold: Hold | None = None
    holds: int = 0
    reported: bool = False
    noticing: Noticing = Noticing()


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimits:
    """How a story waits until an agent's limit ends."""

    wait: Wait | None = None
    deferrals: int = 0  # the limits met so far
    limited: tuple[tuple[str, float], ...] = ()  # until when which profile is not to be asked
    waited: tuple[Waited, ...] = ()  # all waits, for a person and for that


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Money and tokens. `limits` are those that hold now."""

    limits: Limits = Limits()
    raises: int = 0  # how often the limits had been changed when these were set
    claims: int = 0  # for an allowance, one an attempt
    claiming: bool = False  # the last claim has no answer yet
    allowance: Allowance | None = None
    unreserved: Usage | None = None  # used without an allowance, where the run has not recorded it
    usage: Usage = NOTHING_USED
    shares: tuple[Share, ...] = ()  # of `usage`, by profile and model
    roles: tuple[tuple[str, Usage], ...] = ()  # of `usage`, by role, steps included that are there no more


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """What users have asked for."""

    cancelled: bool = False
    paused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Why a story failed or is undone, and whether its run knows of its end."""

    reason: str = ""
    cause: FailureCause | None = None
    reported: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryState:
    """The fold of a story's facts."""

    assignment: Assignment | None = None
    status: StoryStatus = StoryStatus.UNCLAIMED
    pipeline: Pipeline = Pipeline()
    routing: StepId = StepId("")  # the step whose decision has not been followed yet
    cursor: int = 0  # how far its inbox is read
    go: int = 1  # how often it was begun
    started_at: float | None = None
    ended_at: float | None = None

    work: Work = Work()
    dialogue: Dialogue = Dialogue()
    landing: Landing = Landing()
    landed: Landed = Landed()
    confirmed: Confirmed = Confirmed()
    waiting: Waiting = Waiting()
    rate_limit: RateLimits = RateLimits()
    spending: Spending = Spending()
    control: Control = Control()
    outcome: Outcome = Outcome()

    @property
    def given(self) -> Assignment:
        """The assignment; asking before the story has started is a mistake of the caller's."""
        if self.assignment is None:
            raise LookupError("the story has not started")
        return self.assignment

    @property
    def asks(self) -> Hold | None:
        """What a person is waited for: one that was cancelled over it has ended, and waits for nobody any more."""
        return self.waiting.hold if self.status is StoryStatus.IN_PROGRESS else None
