"""The landing queue of a base branch: which stories wait to land, and the progress of the current batch."""

from enum import StrEnum
from typing import Final

from shiftwork.domain.core.ids import Commit, RunId, StoryId, Stream
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.core.refusal import Refusal, RefusalText
from shiftwork.domain.gates.gate import Gate, GateReport, PassedGates
from shiftwork.domain.landing.owed_gates import OwedGate
from shiftwork.domain.proof.case import Case
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.tampering.findings import NOTHING_TOUCHED, Inspection
from shiftwork.records import dataclass


class EntryStage(StrEnum):
    """The progress of an entry; `transitions` holds the only table of changes."""

    QUEUED = "queued"
    BUILT = "built"
    VERIFIED = "verified"
    LANDED = "landed"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    CLOSED = "closed"


class Proof(StrEnum):
    """What verifies a candidate: gates on each commit, or only on the last commit of a batch."""

    EACH = "each"
    TIP = "tip"


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingPolicy:
    """How batches land: at most `batch` entries together, at most `at_once` candidates checked at a time."""

    batch: int = 16
    at_once: int = 2
    proof: Proof = Proof.EACH


FEATURE: Final = "feat"
REVERT: Final = "revert"


def request_key(run: RunId, story: StoryId, number: int, kind: str = FEATURE) -> str:
    own = str(number) if kind == FEATURE else f"{kind}-{number}"
    return f"{run}/{story}/{own}"


def requested_by(key: str) -> tuple[RunId, StoryId]:
    """The run and the story whose request has this key."""
    run, _, rest = key.partition("/")
    return RunId(run), StoryId(rest.rpartition("/")[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingRequest:
    """A story's request to land its changes from `base` to `tip`. `number` counts the requests of one `type` from 1: a
    revert is another than a change. `subject`, `body` and `trailers` are the message of its commit. `broken` are gates
    that were red on the base when the story was last refused. If a story needs dependencies that its base does not
    have, and they cannot be installed, a person may allow judging it in the base's environment: it is `borrowing`.
    `gates` are those of the run's spec, which apply to its stories and not to their reverts. Its run continues
    `without_gates`. With `review`, nothing lands but the patch that a person has `approved`. `skipped` are the steps
    that an edit left out, each with the reason. `passed` is the green verdict after which the person was asked.
    If a hook refuses the message, the next one has the `short_subject` and no body. A person lets the `allowed_message`
    land although a hook has refused it.
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
    passed: PassedGates | None = None
    subject: str = ""
    trailers: tuple[str, ...] = ()
    short_subject: str = ""
    allowed_message: str = ""

    @property
    def key(self) -> str:
        return request_key(self.run, self.story, self.number, self.type)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A request in the queue. `round` counts candidates: if the base moves meanwhile, the entry gets a new round.

    `base` is the commit below the candidate: the base branch, or the previous candidate. `reds` counts how often gates
    failed on the candidate. `lacking` says which evidence is missing although gates are green, or why gates could not
    run; `cause` distinguishes the two. The candidate is `approved` where it is the patch that a person approved;
    otherwise it `differs` from that patch in these files. `verdict_key` is that of `PassedGates`, if only an approval
    is missing. `message` is the one that a hook has accepted or, if that is lacking, refused; empty if none was asked.
    """

    request: LandingRequest
    stage: EntryStage = EntryStage.QUEUED
    round: int = 1
    base: Commit = Commit("")
    candidate: Commit = Commit("")
    report: GateReport | None = None
    proof: ProofReport | None = None
    lacking: RefusalText | None = None
    cause: Refusal = Refusal.EVIDENCE
    approved: bool = False
    differs: tuple[str, ...] = ()
    reds: int = 0
    landed_ref: str = ""
    refusal: Refusal | None = None
    text: RefusalText = RefusalText()
    files: tuple[str, ...] = ()
    verdict_key: str = ""
    message: str = ""

    @property
    def unapproved(self) -> bool:
        """Whether the candidate still needs a person's approval and must not land."""
        return self.request.review and not self.approved


QUEUE_FORMAT: Final = 3
"""Raise it when facts lead to another `QueueState` than before: a snapshot of another format is not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """The state of a landing stream; closed entries leave it, so its size is that of the current work.

    `batch` counts the batches, and `policy` is that of the current batch, which nothing joins any more once it is
    `closed`. `verdicts` counts those on its candidates. `recent` says for each of the last checked entries whether it
    landed. `owed` are the gates that landings have skipped since their last run.
    """

    branch: str = ""
    entries: tuple[Entry, ...] = ()
    cursor: int = 0
    batch: int = 0
    policy: LandingPolicy = LandingPolicy()
    recent: tuple[bool, ...] = ()
    owed: tuple[OwedGate, ...] = ()
    closed: bool = False
    verdicts: int = 0

    @property
    def waiting(self) -> tuple[Entry, ...]:
        return self._at(EntryStage.QUEUED)

    @property
    def chain(self) -> tuple[Entry, ...]:
        """The batch in progress: candidates, each on top of the previous."""
        return self._at(EntryStage.BUILT, EntryStage.VERIFIED)

    @property
    def settled(self) -> tuple[Entry, ...]:
        """Entries whose stories have not received the result yet."""
        return self._at(EntryStage.LANDED, EntryStage.REFUSED, EntryStage.WITHDRAWN)

    def _at(self, *stages: EntryStage) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.stage in stages)
