"""Facts of a landing queue: what happened to the stories that want to land on one base branch."""

from dataclasses import dataclass

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.landing.state import LandingPolicy, LandingRequest
from shiftwork.domain.proof.verdict import ProofReport


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryQueued(Fact):
    branch: str
    request: LandingRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchTaken(Fact):
    """Entries land together: those of which it is told at the same moment that they were built. Nobody joins later."""

    number: int
    policy: LandingPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateBuilt(Fact):
    """All changes of an entry are one commit on `base`: the tip of the branch, or the candidate before it. It is
    `approved` where it is the patch that a person has approved, carried onto that base, and else `differs` from it.
    """

    request: str
    round: int
    base: Commit
    commit: Commit
    approved: bool = False
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateVerified(Fact):
    """Every gate is green on the candidate. `proofs` are those of all candidates that are verified with it."""

    request: str
    report: GateReport
    proofs: tuple[ProofReport, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateUnproved(Fact):
    """Every gate is green, and what the story offers does not show that its criteria hold; or, by its `cause`, gates
    could not be run, because what it depends on cannot be installed.
    """

    request: str
    report: GateReport
    proof: ProofReport
    lacking: str
    cause: Refusal = Refusal.EVIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateFailed(Fact):
    """A gate is red on the candidate: once may be a whim of the gate's, twice is the change's fault."""

    request: str
    report: GateReport


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseMoved(Fact):
    """The branch is at `commit`, the last of those that landed. `commits` have the trees of the candidates of the batch
    and take their place: the first of them landed, under messages that say what was found, and the others stand on
    those now. Where there are none, the candidates landed as they were.
    """

    requests: tuple[str, ...]
    commit: Commit
    ref: str
    commits: tuple[Commit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseMissed(Fact):
    """Somebody else moved the base first; what was not landed of the batch is built again on what is there now."""

    batch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRefused(Fact):
    """The entry does not land. `base` is what it was tried on, which has landed."""

    request: str
    cause: Refusal
    detail: str
    files: tuple[str, ...]
    base: Commit
    report: GateReport | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryWithdrawn(Fact):
    """The story does not want to land any more; where it is about to, or has, this changes nothing."""

    request: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryClosed(Fact):
    """The story has been told; the entry leaves the queue."""

    request: str
