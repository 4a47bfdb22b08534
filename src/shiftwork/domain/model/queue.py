"""The landing queue of one base branch: who wants to land, and how far the one at the head has come."""

from dataclasses import dataclass
from enum import StrEnum

from shiftwork.domain.model.gate import GateReport
from shiftwork.domain.model.ids import Commit, RunId, StoryId, Stream
from shiftwork.domain.model.story import Refusal


class EntryStage(StrEnum):
    """How far an entry has come; `machine` holds the only table of changes."""

    QUEUED = "queued"
    BUILT = "built"
    VERIFIED = "verified"
    LANDED = "landed"
    REFUSED = "refused"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingRequest:
    """What a story asks of the queue. `number` counts the story's own requests from 1."""

    run: RunId
    story: StoryId
    number: int
    stream: Stream
    tip: Commit
    title: str
    body: str
    may_be_empty: bool = False

    @property
    def key(self) -> str:
        return f"{self.run}/{self.story}/{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A request in the queue. `round` counts candidates: a base that moved meanwhile costs a round, not the entry."""

    request: LandingRequest
    stage: EntryStage = EntryStage.QUEUED
    round: int = 1
    base: Commit = Commit("")
    candidate: Commit = Commit("")
    report: GateReport | None = None
    landed_ref: str = ""
    refusal: Refusal | None = None
    detail: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """The fold of a landing stream; closed entries leave it, so its size is that of the work at hand."""

    branch: str = ""
    entries: tuple[Entry, ...] = ()
    cursor: int = 0

    @property
    def head(self) -> Entry | None:
        return self.entries[0] if self.entries else None
