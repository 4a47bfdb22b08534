"""Facts about the landing of a story: requests, refusals, repairs."""

from dataclasses import dataclass

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StepId
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.tampering.findings import NOTHING_TOUCHED, Inspection


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRenewed(Fact):
    """What was done so far has landed, and the rest is done from there on."""

    commit: Commit


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
