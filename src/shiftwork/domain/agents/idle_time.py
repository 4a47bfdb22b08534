"""How much of the time of one or several stories was only waiting: for a person, or for a rate limit to end."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from shiftwork.domain.agents.rate_limit import Awaited, Waited
from shiftwork.records import dataclass

_WORK: Final = "work"

type _Edge = tuple[float, str, int]
"""A moment, and what starts or ends at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """When a story began and ended, and its waits between. A course without `began` never counts as working: the run's
    own steps, which are in progress while stories are worked on, are given this way.
    """

    began: float | None
    ended: float | None
    waited: tuple[Waited, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """Seconds in which nothing happened because a person was missing, and because of a rate limit."""

    person: float = 0.0
    limit: float = 0.0


NOT_IDLE: Final = Idle()


def worked_seconds(began: float, ended: float, lost: Idle) -> float:
    """How long there was work between two moments: waiting for a person or for a rate limit is none."""
    return max(ended - began - lost.person - lost.limit, 0.0)


def idle(courses: Iterable[Course]) -> Idle:
    """Only time in which no story was worked on is lost. Where both were awaited, it counts as waiting for a person."""
    lost, in_progress = defaultdict[str, float](float), Counter[str]()
    for (at, what, change), (then, _, _) in pairwise(sorted(edge for course in courses for edge in _edges(course))):
        in_progress[what] += change
        if in_progress[_WORK] <= 0:
            awaited = next((item for item in Awaited if in_progress[item] > 0), None)
            lost[awaited or ""] += then - at
    return Idle(person=lost[Awaited.PERSON], limit=lost[Awaited.LIMIT])


def _edges(course: Course) -> Iterator[_Edge]:
    """No end is before its start, even if the clock was set back."""
    works = course.began is not None
    if course.began is not None:
        yield course.began, _WORK, 1
        if course.ended is not None:
            yield max(course.ended, course.began), _WORK, -1
    for wait in course.waited:
        yield from _turn(wait.since, wait.awaited, 1, works=works)
        if wait.until is not None:
            yield from _turn(max(wait.until, wait.since), wait.awaited, -1, works=works)


def _turn(at: float, awaited: Awaited, change: int, *, works: bool) -> Iterator[_Edge]:
    yield at, awaited, change
    if works:
        yield at, _WORK, -change
