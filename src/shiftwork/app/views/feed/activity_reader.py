"""Reads what happened in a run, or to one story, page by page from the newest."""

import math
from bisect import insort
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from shiftwork.app.folds import STORY
from shiftwork.app.views.documents.served.activity_document import ActivityPart, activity_entry
from shiftwork.app.views.live.board import EVENTS, Change, change_of
from shiftwork.domain.core.ids import RunId, StoryId, Stream, run_stream, story_stream
from shiftwork.domain.landing.facts import CandidateFailed, CandidateVerified
from shiftwork.domain.landing.state import requested_by
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.facts import RunStarted
from shiftwork.ports.store import History, Recorded
from shiftwork.ports.views import Queries, StoryRow
from shiftwork.records import dataclass, replace

_GATES: Final = (CandidateVerified, CandidateFailed)
_OF_RUN: Final = tuple(kind for kind in EVENTS if kind in vars(run_facts).values())
"""The facts of a run that are changes: of a long run, few are."""

_CHECKS: Final = 1000
"""How much of a landing queue is read at a time, from its end."""


class Place(NamedTuple):
    """The place of a change: when, of which story, from which stream, and its number there. Sorts by time."""

    at: float
    story: str
    source: str
    version: int

    def __str__(self) -> str:
        return f"{float(self.at)!r}/{self.story}/{self.source}/{self.version}"


def place_of(text: str) -> Place:
    """Raises ValueError if it is none."""
    at, story, source, version = text.split("/")
    return Place(float(at), story, source, int(version))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which changes to read: of the run, or of one `story`; at most `limit`, those `before` a place or the newest."""

    run: RunId
    story: str = ""
    before: Place | None = None
    limit: int = 50


type _Found = list[tuple[Place, Change]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A stream to read, in which nothing has happened after `last`: a story, or a landing queue up to a version."""

    last: float
    stream: Stream
    upto: int | None = None


async def read_activity(queries: Queries, history: History, wanted: Wanted) -> ActivityPart:
    """Raises nothing for an unknown run or story: nothing has happened to it."""
    of_run = await history.read(run_stream(wanted.run), kinds=_OF_RUN)
    found: _Found = [each for each in _of_run(of_run) if wanted.story in {"", each[0].story}]
    left = await _last_first(queries, wanted)
    if landing := next((each.fact.plan.landing for each in of_run if isinstance(each.fact, RunStarted)), None):
        left.insert(0, _Source(last=math.inf, stream=landing, upto=await history.version(landing)))
    while left and not _is_enough(found, wanted, left[0].last):
        source = left.pop(0)
        if source.upto is None:
            found += _of_story(await history.read(source.stream))
            continue
        checks = await _checks(history, source, wanted)
        found += checks
        if source.upto > _CHECKS:
            last = min((place.at for place, _ in checks), default=source.last)
            insort(left, replace(source, last=last, upto=source.upto - _CHECKS), key=lambda each: -each.last)
    listed = sorted((each for each in found if _is_before(each[0], wanted)), key=lambda each: each[0], reverse=True)
    is_last = len(listed) <= wanted.limit and not left
    shown = listed[: wanted.limit]
    return ActivityPart(
        run=wanted.run,
        story=wanted.story or None,
        entries=[activity_entry(change) for _, change in shown],
        next_before=None if is_last or not shown else str(shown[-1][0]),
    )


async def _last_first(queries: Queries, wanted: Wanted) -> list[_Source]:
    """The stories that have started: those that ended last come first."""
    if wanted.story:
        return [_Source(last=math.inf, stream=story_stream(wanted.run, StoryId(wanted.story)))]
    rows = await queries.stories(wanted.run)
    sources = [
        _Source(last=_last(row), stream=story_stream(wanted.run, StoryId(row.story)))
        for row in rows
        if row.started_at is not None or row.used.tries
    ]
    return sorted(sources, key=lambda each: (-each.last, each.stream))


async def _checks(history: History, source: _Source, wanted: Wanted) -> _Found:
    """What gates said of this run, or of one story, in the last part of what is left of a landing queue."""
    upto = source.upto or 0
    named = f"{wanted.run}/{wanted.story}/" if wanted.story else f"{wanted.run}/"
    part = await history.read(source.stream, after=max(upto - _CHECKS, 0), upto=upto, kinds=_GATES, naming=named)
    return [each for each in _of_gates(part, wanted.run) if wanted.story in {"", each[0].story}]


def _last(row: StoryRow) -> float:
    return math.inf if row.ended_at is None else row.ended_at


def _is_before(place: Place, wanted: Wanted) -> bool:
    return wanted.before is None or place < wanted.before


def _is_enough(found: _Found, wanted: Wanted, last: float) -> bool:
    """Whether the stories that are left, which did nothing after `last`, have nothing for this page."""
    return sum(place.at > last and _is_before(place, wanted) for place, _ in found) >= wanted.limit


def _of_run(recorded: Sequence[Recorded]) -> Iterator[tuple[Place, Change]]:
    for each in recorded:
        concerned = getattr(each.fact, "story", "")
        story = concerned if isinstance(concerned, str) else str(concerned.id)
        if change := change_of(each.fact, STORY.start):
            yield Place(each.fact.at, story, "run", each.version), replace(change, story=story)


def _of_gates(recorded: Sequence[Recorded], run: RunId) -> Iterator[tuple[Place, Change]]:
    for each in recorded:
        change = change_of(each.fact, STORY.start)
        if change and requested_by(getattr(each.fact, "request", ""))[0] == run:
            yield Place(each.fact.at, change.story, "gates", each.version), change


def _of_story(recorded: Sequence[Recorded]) -> Iterator[tuple[Place, Change]]:
    state = STORY.start
    for each in recorded:
        asked, state = state.asks, STORY.evolve(state, each.fact)
        if change := change_of(each.fact, state, asked):
            yield Place(each.fact.at, change.story, "story", each.version), change
