"""Reads what took time in a run: all of it, or a part of the time, a story, or some kinds."""

import math
from collections.abc import Iterator, Sequence
from typing import Final, get_args

from shiftwork.app.views.documents.served.timeline_document import Timeline, settled, timeline_document
from shiftwork.app.views.feed.spans import QUEUE_KINDS, RUN_KINDS, Landings, SlotSpans, Span, SpanKind
from shiftwork.domain.core.ids import RunId, Stream, run_stream
from shiftwork.domain.run.facts import RunStarted
from shiftwork.ports.store import History
from shiftwork.ports.views import AttemptRow, Queries, StepRow
from shiftwork.records import dataclass, replace

KINDS: Final = frozenset(get_args(SpanKind.__value__))

_AGENT: Final = "agent"
_MANY_STORIES: Final = 100
"""From so many stories on, one query for the steps of all is quicker than one for each."""

_HALF_MILLISECOND: Final = 0.0005
"""Times are shown in milliseconds: what is shown to end at a time may have ended a little earlier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What to read: what lasts or ended at `since` or later, and began at `until` or before."""

    story: str = ""
    since: float = 0.0
    until: float = math.inf
    kinds: frozenset[str] = KINDS

    def has(self, span: Span) -> bool:
        return (
            span.kind in self.kinds
            and self.story in {"", span.story}
            and round(span.start, 3) <= self.until
            and (span.end is None or round(span.end, 3) >= self.since)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFacts:
    """What the facts of a run and of its landing queue say, up to a version of each."""

    run: RunId
    landing: Stream | None = None
    run_version: int = 0
    queue_version: int = 0
    stays: SlotSpans
    landings: Landings


def nothing_known(run: RunId) -> KnownFacts:
    return KnownFacts(run=run, stays=SlotSpans(), landings=Landings(run=run))


async def known_facts(history: History, before: KnownFacts) -> KnownFacts:
    """Adds the facts after those that are known."""
    known = before if before.landing else replace(before, landing=await landing_of(history, before.run))
    of_run = await history.read(run_stream(known.run), after=known.run_version, kinds=RUN_KINDS)
    if of_run:
        stays = known.stays.after([each.fact for each in of_run])
        known = replace(known, run_version=of_run[-1].version, stays=stays)
    if not known.landing:
        return known
    queue = await history.read(known.landing, after=known.queue_version, kinds=QUEUE_KINDS, naming=f"{known.run}/")
    if queue:
        landings = known.landings.after([each.fact for each in queue])
        known = replace(known, queue_version=queue[-1].version, landings=landings)
    return known


async def landing_of(history: History, run: RunId) -> Stream | None:
    """The landing queue of a run; None if there is no such run."""
    begun = await history.read(run_stream(run), kinds=(RunStarted,))
    return next((each.fact.plan.landing for each in begun if isinstance(each.fact, RunStarted)), None)


async def read_timeline(queries: Queries, known: KnownFacts, part: Part, now: float) -> Timeline:
    """`now` must be read from the clock before `known` is read: what ends later is not missing then."""
    spans = [span for span in (*known.stays, *known.landings) if part.has(span)]
    if part.kinds & {"person", "limit"}:
        spans += (span for span in await _waits(queries, known.run, part) if part.has(span))
    if "attempt" in part.kinds:
        spans += (span for span in await _attempts(queries, known.run, part) if part.has(span))
        return timeline_document(known.run, now, known.stays, spans)
    sums = await queries.attempt_sums(known.run, settled(now) - _HALF_MILLISECOND)
    wanted = [each for each in sums if part.story in {"", each.story}]
    return timeline_document(known.run, now, known.stays, spans, wanted)


async def _waits(queries: Queries, run: RunId, part: Part) -> list[Span]:
    return [
        Span(kind="person" if row.awaited == "person" else "limit", story=row.story, start=row.since, end=row.until)
        for row in await queries.waited(run, part.story)
    ]


async def _attempts(queries: Queries, run: RunId, part: Part) -> list[Span]:
    since, until = part.since - _HALF_MILLISECOND, part.until + _HALF_MILLISECOND
    # First what lasts: an attempt that ends in between is among the ended ones too, and never in neither.
    lasting = await queries.steps(run, part.story, status="in_progress")
    rows = await queries.attempts(run, part.story, since=since, until=until)
    steps = {(step.story, step.step): step for step in await _steps(queries, run, rows)}
    ended = {(row.story, row.step, row.number): _attempt(row, steps.get((row.story, row.step))) for row in rows}
    return [
        *ended.values(),
        *(span for span in _lasting(lasting) if (span.story, span.step_id, span.attempt) not in ended),
    ]


async def _steps(queries: Queries, run: RunId, rows: Sequence[AttemptRow]) -> Sequence[StepRow]:
    """The steps of the stories that have these attempts."""
    stories = sorted({row.story for row in rows})
    if len(stories) > _MANY_STORIES:
        return await queries.steps(run)
    return [step for story in stories for step in await queries.steps(run, story)]


def _attempt(row: AttemptRow, step: StepRow | None) -> Span:
    start = row.ended_at if row.started_at is None else row.started_at
    return Span(
        kind="attempt",
        story=row.story,
        start=start,
        end=row.ended_at,
        step=step,
        step_id=row.step,
        attempt=row.number,
        ending=row.ending,
    )


def _lasting(steps: Sequence[StepRow]) -> Iterator[Span]:
    for step in steps:
        if step.kind == _AGENT and (start := step.started_at) is not None:
            yield Span(
                kind="attempt", story=step.story, start=start, step=step, step_id=step.step, attempt=step.attempts
            )
