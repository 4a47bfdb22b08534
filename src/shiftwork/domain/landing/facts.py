"""Facts of a landing queue: what happened to the stories that wait to land on a base branch."""

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.landing.owed_gates import Blamed
from shiftwork.domain.landing.state import LandingPolicy, LandingRequest
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryQueued(Fact):
    branch: str
    request: LandingRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchTaken(Fact):
    """A batch starts, with the entries whose candidates are recorded as built along with it. Others may join it."""

    number: int
    policy: LandingPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchClosed(Fact):
    """An entry cannot be built on the batch in progress, so no other joins that: the entry is in the next batch."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateBuilt(Fact):
    """All changes of an entry are one commit on `base`: the tip of the branch, or the previous candidate. It is
    `approved` where it is the patch that a person approved, applied to that base; otherwise it `differs` from it.
    """

    request: str
    round: int
    base: Commit
    commit: Commit
    approved: bool = False
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateVerified(Fact):
    """Every gate is green on the candidate. `proofs` are those of all candidates that are verified with it, and
    `messages` those of their commits, as a hook has accepted them; empty if none was asked.
    """

    request: str
    report: GateReport
    proofs: tuple[ProofReport, ...] = ()
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateUnproved(Fact):
    """Every gate is green, but the story's evidence does not prove its criteria; or, depending on `cause`, gates could
    not run because dependencies cannot be installed. `lacking` and `feedback` are the text of the refusal: for people,
    and for agents where these get another one. `key` is that of `PassedGates`, if only an approval is missing.
    `message` is the one that a hook has refused.
    """

    request: str
    report: GateReport
    proof: ProofReport
    lacking: str
    cause: Refusal = Refusal.EVIDENCE
    feedback: str = ""
    key: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateFailed(Fact):
    """A gate is red on the candidate: the first time it may be flaky, the second time the change is at fault."""

    request: str
    report: GateReport


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseMoved(Fact):
    """The branch is at `commit`, the last landed commit. `commits` have the trees of the batch's candidates and replace
    them: the first of them landed, with messages that state the findings, and the others are now on top of those. Where
    `commits` is empty, the candidates landed unchanged.
    """

    requests: tuple[str, ...]
    commit: Commit
    ref: str
    commits: tuple[Commit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseMissed(Fact):
    """The base moved before the batch landed; the rest of the batch is built again on the new base."""

    batch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OwedGatesRun(Fact):
    """Gates that landings had skipped have run on the tip of the branch. For each red one, `blamed` says which landing
    made it red. Gates that are `gone` from the settings are not owed any more.
    """

    report: GateReport
    blamed: tuple[Blamed, ...] = ()
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRefused(Fact):
    """The entry does not land. `base` is the landed commit that it was tried on. `detail` is for people, and `feedback`
    for agents, where these get another text.
    """

    request: str
    cause: Refusal
    detail: str
    files: tuple[str, ...]
    base: Commit
    report: GateReport | None
    feedback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryWithdrawn(Fact):
    """The story withdraws its request; this changes nothing where it has landed or lands at once."""

    request: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryClosed(Fact):
    """The story has received the result; the entry leaves the queue."""

    request: str
