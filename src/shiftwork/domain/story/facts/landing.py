"""Facts about the landing of a story: requests, refusals, repairs."""

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StepId
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import GateReport, PassedGates
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.tampering.findings import NOTHING_TOUCHED, Inspection
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRenewed(Fact):
    """The work so far has landed, and the remaining steps continue from there."""

    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingRequested(Fact):
    """`inspection` lists the story's changes to tests and gate configuration."""

    number: int
    tip: Commit
    inspection: Inspection = NOTHING_TOUCHED


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingAccepted(Fact):
    """The changes have landed as a commit on top of `base`. `ref` is the branch, which is a different branch if moving
    the base was not safe. `report` and `proof` are the results of the checks before that.
    """

    commit: Commit
    ref: str
    base: Commit = Commit("")
    report: GateReport | None = None
    proof: ProofReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingRefused(Fact):
    """`detail` is for people, and `feedback` for agents, where these get another text. `broken` are the gates that are
    red on the base as well, `candidate` is the refused commit. `passed` is the verdict on it, if only an approval is
    missing, and `message` the commit message that a hook has refused.
    """

    cause: Refusal
    detail: str
    files: tuple[str, ...]
    base: Commit
    broken: tuple[str, ...] = ()
    candidate: Commit = Commit("")
    feedback: str = ""
    passed: PassedGates | None = None
    message: str = ""

    @property
    def unapproved(self) -> bool:
        """Whether the gates are green and only a person's approval is missing."""
        return self.cause is Refusal.APPROVAL


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRefused(Fact):
    """After a step: the work cannot land as it is, so it is repaired before another session is paid."""

    step: StepId
    cause: Refusal
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairPlanned(Fact):
    """After a refusal: a repair step was added before the last step; `profile` is assigned to it, if set."""

    cause: Refusal
    type: str
    description: str
    feedback: str
    profile: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseMerged(Fact):
    """What has landed since was merged into the work; `files` contain conflict markers."""

    commit: Commit
    base: Commit
    files: tuple[str, ...]
