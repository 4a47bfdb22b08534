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
    """Where a story stands; `machine` holds the only table of changes."""

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
class StoryState:
    """The fold of a story's facts."""

    assignment: Assignment | None = None
    status: StoryStatus = StoryStatus.UNCLAIMED
    pipeline: Pipeline = Pipeline()

    # What its agents have said, and are told.
    context: tuple[tuple[str, str], ...] = ()
    scratch: Shelf = Shelf()
    evidence: tuple[Evidence, ...] = ()
    told: tuple[str, ...] = ()  # the harness's messages to them
    heard: int = 0  # so many of those the attempt under way has been given
    answers: tuple[tuple[str, str], ...] = ()  # questions they have asked, with what a person said
    routing: StepId = StepId("")  # the step whose decision has not been followed yet
    planned: tuple[spec.Story, ...] = ()  # the stories that a step has broken the work into

    # The work: `workspace` counts those laid out, and the last is there while it is `ready`.
    workspace: int = 0
    ready: bool = False
    released: bool = False
    base: Commit = Commit("")  # what the work grew from
    head: Commit = Commit("")  # the work so far

    # Its way through the landing queue; `landings` counts the requests.
    landing: LandingStage = LandingStage.NONE
    landings: int = 0
    withdrawing: int = 0  # the number of the last request that it has taken back
    refused: Refused | None = None
    repairs: int = 0
    conflicts: int = 0
    earlier: tuple[int, int] = (0, 0)  # repairs and conflicts before these two began again
    failures: tuple[Failure, ...] = ()  # what the gates have said of its candidates
    escalated: str = ""  # the profile that was called in when they said the same twice
    inspection: Inspection = NOTHING_TOUCHED  # what the story has done to tests

    # What a person approves before it lands.
    signing: StepId = StepId("")  # the approval step with which its workflow ends
    approved: Patch | None = None  # what a person has approved last, and has not rejected since

    # What has landed, and what proves it.
    landed: Commit = Commit("")
    landed_base: Commit = Commit("")
    landed_ref: str = ""
    landed_report: GateReport | None = None
    landed_proof: ProofReport | None = None
    vouched: str = ""  # what a person has said for the criteria that nobody else can check
    vouched_for: Commit = Commit("")  # the work as it was then
    borrowing: Commit = Commit("")  # the work that a person lets land without an environment of its own
    certified: str = ""  # the digest of the certificate

    # Waiting for a person.
    hold: Hold | None = None
    holds: int = 0
    waits: bool = False  # what the run knows of `hold`
    noticing: Noticing = Noticing()

    # Waiting for the end of an agent's limit.
    wait: Wait | None = None
    deferrals: int = 0  # the limits met so far
    limited: tuple[tuple[str, float], ...] = ()  # until when which profile is not to be asked
    waited: tuple[Waited, ...] = ()  # all waits, for a person and for that

    # How it ends; `go` counts how often it was begun.
    failure: str = ""
    cause: FailureCause | None = None
    cancelled: bool = False
    paused: bool = False
    reported: bool = False
    go: int = 1

    # Money and tokens. `limits` are those that hold now.
    limits: Limits = Limits()
    raises: int = 0  # how often the limits had been changed when these were told
    claims: int = 0  # for an allowance, one an attempt
    claiming: bool = False  # the last claim has no answer yet
    allowance: Allowance | None = None
    unbooked: Usage | None = None  # used without an allowance, where the run has not heard of it
    usage: Usage = NOTHING_USED
    shares: tuple[Share, ...] = ()  # of `usage`, by profile and model
    roles: tuple[tuple[str, Usage], ...] = ()  # of `usage`, by role, steps included that are there no more

    cursor: int = 0  # how far its inbox is read
    started_at: float | None = None
    ended_at: float | None = None

    @property
    def given(self) -> Assignment:
        """The assignment; asking before the story has started is a mistake of the caller's."""
        if self.assignment is None:
            raise LookupError("the story has not started")
        return self.assignment

    @property
    def mendings(self) -> tuple[int, int]:
        """All repairs and all conflicts, whatever their limits have begun anew with."""
        repairs, conflicts = self.earlier
        return repairs + self.repairs, conflicts + self.conflicts

    @property
    def asks(self) -> Hold | None:
        """What a person is waited for: one that was cancelled over it has ended, and waits for nobody any more."""
        return self.hold if self.status is StoryStatus.IN_PROGRESS else None
