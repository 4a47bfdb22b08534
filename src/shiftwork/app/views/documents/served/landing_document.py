"""The landing queues of a project as a document: what waits, what is being proved, and what has landed last."""

from collections.abc import Sequence
from operator import attrgetter
from typing import ClassVar, Final, Literal

from shiftwork.app.views.documents.document import Document, Time, known_moment, moment
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.landing.facts import BaseMoved, EntryQueued
from shiftwork.domain.landing.state import REVERT, EntryStage, QueueState, requested_by
from shiftwork.records import dataclass

KINDS: Final = (EntryQueued, BaseMoved)
"""The facts that are read besides the state of a queue."""

MOST_LANDINGS: Final = 20

_PHASES: Final = {EntryStage.QUEUED: "waiting", EntryStage.BUILT: "proving", EntryStage.VERIFIED: "proved"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingEntry:
    """A story that wants to land, or with `revert` to be undone: it waits, is being proved, or is proved."""

    run: str
    story: str
    title: str
    branch: str
    request: str
    revert: bool
    progress: Literal["waiting", "proving", "proved"]
    started_at: Time | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LandedEntry:
    """A story that has landed, or with `revert` was undone."""

    time: Time
    run: str
    story: str
    title: str
    ref: str
    request: str
    revert: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingQueue(Document):
    """What wants to land, in the order of the queue, and the last landings, the newest first."""

    SCHEMA: ClassVar[str] = "landing-queue"

    queue: Sequence[LandingEntry]
    landings: Sequence[LandedEntry]


def landing_document(queues: Sequence[tuple[QueueState, Sequence[Fact]]]) -> LandingQueue:
    """From the state of each branch's queue, and its last facts of the kinds above."""
    landed = [entry for _, facts in queues for entry in _landed(facts)]
    return LandingQueue(
        queue=[entry for state, facts in queues for entry in _waiting(state, facts)],
        landings=sorted(landed, key=attrgetter("time"), reverse=True)[:MOST_LANDINGS],
    )


def _waiting(state: QueueState, facts: Sequence[Fact]) -> list[LandingEntry]:
    since = {fact.request.key: fact.at for fact in facts if isinstance(fact, EntryQueued)}
    return [
        LandingEntry(
            run=entry.request.run,
            story=entry.request.story,
            title=entry.request.title,
            branch=state.branch,
            request=entry.request.key,
            revert=entry.request.type == REVERT,
            progress=_PHASES[entry.stage],  # type: ignore[arg-type]  # the values of the table above
            started_at=known_moment(since.get(entry.request.key)),
        )
        for entry in (*state.chain, *state.waiting)
    ]


def _landed(facts: Sequence[Fact]) -> list[LandedEntry]:
    titles = {fact.request.key: fact.request.title for fact in facts if isinstance(fact, EntryQueued)}
    found: list[LandedEntry] = []
    for fact in facts:
        for request in fact.requests if isinstance(fact, BaseMoved) else ():
            run, story = requested_by(request)
            revert = request.rpartition("/")[2].startswith(REVERT)
            found.append(
                LandedEntry(
                    time=moment(fact.at),
                    run=run,
                    story=story,
                    title=titles.get(request, ""),
                    ref=getattr(fact, "ref", ""),
                    request=request,
                    revert=revert,
                )
            )
    return found
