"""The landing queue of one base branch: who wants to land, and how far the batch that is being landed has come."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shiftwork.domain.core.ids import Commit, RunId, StoryId, Stream
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.proof.case import Case
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.tampering.findings import NOTHING_TOUCHED, Inspection


class EntryStage(StrEnum):
    """How far an entry has come; `transitions` holds the only table of changes."""

    QUEUED = "queued"
    BUILT = "built"
    VERIFIED = "verified"
    LANDED = "landed"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    CLOSED = "closed"


class Proof(StrEnum):
    """What verifies a candidate: gates on each commit, or only on the last of those that land together."""

    EACH = "each"
    TIP = "tip"


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingPolicy:
    """How batches are landed: at most `batch` entries together, at most `at_once` candidates checked at a time."""

    batch: int = 16
    at_once: int = 2
    proof: Proof = Proof.EACH


FEATURE: Final = "feat"
REVERT: Final = "revert"


def request_key(run: RunId, story: StoryId, number: int, kind: str = FEATURE) -> str:
    own = str(number) if kind == FEATURE else f"{kind}-{number}"
    return f"{run}/{story}/{own}"


def requested_by(key: str) -> tuple[RunId, StoryId]:
    """Whose request has this key."""
    run, _, rest = key.partition("/")
    return RunId(run), StoryId(rest.rpartition("/")[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingRequest:
    """What a story asks of the queue: to land what it has changed from `base` to `tip`. `number` counts the requests of
    one `type` from 1; the type is what the subject of the landed commit begins with.
    `broken` are gates that were red on the base when the story was last refused. Where it needs other dependencies than
    its base, and they cannot be installed, a person may let it be judged in the base's environment: it is `borrowing`.
    `gates` are those of the run's spec, which hold for its stories and not for their reverts. Its run continues
    `without_gates`. Where `review` is set, nothing lands but the patch that a person has `approved`. `skipped` are the
    steps that were left out by an edit, each with the reason.
    """

    run: RunId
    story: StoryId
    number: int
    stream: Stream
    tip: Commit
    title: str
    body: str
    may_be_empty: bool = False
    base: Commit = Commit("")
    type: str = FEATURE
    case: Case = Case()
    inspection: Inspection = NOTHING_TOUCHED
    broken: tuple[str, ...] = ()
    borrowing: bool = False
    gates: tuple[Gate, ...] = ()
    without_gates: tuple[str, ...] = ()
    review: bool = False
    approved: Patch | None = None
    skipped: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return request_key(self.run, self.story, self.number, self.type)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A request in the queue. `round` counts candidates: a base that moved meanwhile costs a round, not the entry.

    `base` is what the candidate stands on: the base branch, or the candidate before it. `reds` counts the times that
    gates failed on the candidate; `lacking` says what its proof lacks, where gates are green and that is not enough, or
    what keeps gates from being run, which `cause` tells apart. The candidate is `approved` where it is the patch that a
    person has approved; where it is not, it `differs` from that in these files.
    """

    request: LandingRequest
    stage: EntryStage = EntryStage.QUEUED
    round: int = 1
    base: Commit = Commit("")
    candidate: Commit = Commit("")
    report: GateReport | None = None
    proof: ProofReport | None = None
    lacking: str = ""
    cause: Refusal = Refusal.EVIDENCE
    approved: bool = False
    differs: tuple[str, ...] = ()
    reds: int = 0
    landed_ref: str = ""
    refusal: Refusal | None = None
    detail: str = ""
    files: tuple[str, ...] = ()

    @property
    def unapproved(self) -> bool:
        """Whether a person has yet to approve the candidate: it must not land."""
        return self.request.review and not self.approved


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """The fold of a landing stream; closed entries leave it, so its size is that of the work at hand.

    `batch` counts the batches, and `policy` is that of the present one. `recent` tells of the last entries that were
    checked whether they landed.
    """

    branch: str = ""
    entries: tuple[Entry, ...] = ()
    cursor: int = 0
    batch: int = 0
    policy: LandingPolicy = LandingPolicy()
    recent: tuple[bool, ...] = ()

    @property
    def waiting(self) -> tuple[Entry, ...]:
        return self._at(EntryStage.QUEUED)

    @property
    def chain(self) -> tuple[Entry, ...]:
        """The batch under way: candidates, each of which stands on the one before."""
        return self._at(EntryStage.BUILT, EntryStage.VERIFIED)

    @property
    def settled(self) -> tuple[Entry, ...]:
        """Those whose stories are still to be told."""
        return self._at(EntryStage.LANDED, EntryStage.REFUSED, EntryStage.WITHDRAWN)

    def _at(self, *stages: EntryStage) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.stage in stages)
