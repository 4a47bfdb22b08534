"""When each story of a run was worked on, checked, waited and landed, as a document."""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Final, Literal

from shiftwork.app.views.documents.document import Document, Time, known_moment, moment
from shiftwork.app.views.feed.spans import Span
from shiftwork.ports.rows.row_parts import AttemptSum
from shiftwork.records import dataclass

_REPAIRS: Final = frozenset({"repair", "rebase_resolve"})
"""The name of the step that repairs, and the type of the one that resolves conflicts."""

SETTLED_SECONDS: Final = 60.0
"""How long after its time a fact may still become visible to readers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineSegment:
    """Something that took time: a story in its slot, an attempt at a step, gates, a place in the landing queue, a wait
    for a person or for the limit of an agent. `ended_at` is null while it lasts.
    """

    kind: Literal["story", "attempt", "gates", "landing", "person", "limit"]
    story: str
    slot: int | None
    step: str | None
    step_name: str
    attempt: int | None
    repair: bool
    ending: str
    text: str
    started_at: Time
    ended_at: Time | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptTotal:
    """How many ended attempts of a story have this ending, and how long all of them and the longest have taken."""

    story: str
    ending: str
    attempts: int
    duration_seconds: float
    longest_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline(Document):
    """What took time in a run, in the order of start. `time` is the time of the answer. What ended before `settled_at`
    does not change any more, and `?since=` with that time gives the rest. `totals` are the attempts that ended before
    `settled_at`, in an answer that has no attempts.
    """

    SCHEMA: ClassVar[str] = "timeline"

    run: str
    time: Time
    settled_at: Time
    slots: int
    segments: Sequence[TimelineSegment]
    totals: Sequence[AttemptTotal]


def timeline_document(
    run: str, now: float, stays: Iterable[Span], spans: Iterable[Span], sums: Iterable[AttemptSum] = ()
) -> Timeline:
    """`stays` are all stories in their slots, which say where the work of each was; `spans` are those to list."""
    slots: dict[str, list[Span]] = {}
    for stay in stays:
        slots.setdefault(stay.story, []).append(stay)
    used = [stay.slot for each in slots.values() for stay in each if stay.slot is not None]
    return Timeline(
        run=run,
        time=moment(now),
        settled_at=moment(settled(now)),
        slots=1 + max(used, default=-1),
        segments=[_segment(span, slots) for span in sorted(spans, key=lambda span: span.start)],
        totals=[
            AttemptTotal(
                story=each.story,
                ending=each.ending,
                attempts=each.number,
                duration_seconds=round(each.seconds, 3),
                longest_seconds=round(each.longest, 3),
            )
            for each in sums
        ],
    )


def settled(now: float) -> float:
    """The time before which nothing changes any more, as it is shown."""
    return round(now - SETTLED_SECONDS, 3)


def _segment(span: Span, stays: Mapping[str, Sequence[Span]]) -> TimelineSegment:
    begun = [stay.slot for stay in stays.get(span.story, ()) if stay.start <= span.start]
    step = span.step
    return TimelineSegment(
        kind=span.kind,
        story=span.story,
        slot=begun[-1] if begun else None,
        step=span.step_id or None,
        step_name=step.name if step else span.step_id,
        attempt=span.attempt,
        repair=step is not None and not _REPAIRS.isdisjoint({step.name, step.type}),
        ending=span.ending,
        text=span.text,
        started_at=moment(span.start),
        ended_at=known_moment(span.end),
    )
