"""Draws when each story was worked on, waited and landed. A row scales with the page, so its bars have no text."""

from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.app.runtime.attempt_projection import ASKED, COMPLETED
from shiftwork.app.views.amounts import duration
from shiftwork.app.views.html_report.html_text import Html, clock, element, joined, line, mark
from shiftwork.app.views.report.run_record import StoryRecord
from shiftwork.domain.agents.rate_limit import Awaited
from shiftwork.records import dataclass

_WIDTH: Final = 1000
_TIMES: Final = 5
_THINNEST: Final = 1.5
_ENDINGS: Final = {COMPLETED: "ok", ASKED: "asked"}
"""The kind of bar of an attempt; any other ending is a failure, or a stop from outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The time that the rows show."""

    start: float
    end: float

    def place(self, at: float) -> float:
        whole = max(self.end - self.start, 0.001)
        return min(max((at - self.start) / whole, 0.0), 1.0) * _WIDTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A part of a row: an attempt, a wait, or the moment of landing. Each kind has its own height."""

    kind: str
    start: float
    end: float
    text: str


def span_of(stories: Sequence[StoryRecord], ended_at: float | None) -> Span | None:
    """From the first start to the last known moment; None if nothing has started."""
    starts = [story.row.started_at for story in stories if story.row.started_at is not None]
    if not starts:
        return None
    ends = [bar.end for story in stories for bar in bars(story, starts[0])]
    ends += [story.row.ended_at for story in stories if story.row.ended_at is not None]
    return Span(start=min(starts), end=max((*starts, *ends, ended_at or starts[0])))


def bars(story: StoryRecord, now: float) -> Iterator[Bar]:
    """The parts of a row; what is still in progress lasts until `now`."""
    for made in story.attempts:
        row = made.row
        kind = _ENDINGS.get(row.ending, "bad")
        start = row.ended_at if row.started_at is None else row.started_at
        message = f"{row.step} attempt {row.number}: {row.ending}, {duration(row.seconds)}"
        yield Bar(kind=kind, start=start, end=max(row.ended_at, start), text=message)
    for step in story.steps:
        if step.status == "in_progress" and step.started_at is not None:
            message = f"{step.step} attempt {step.attempts}: in progress"
            yield Bar(kind="now", start=step.started_at, end=max(now, step.started_at), text=message)
    for wait in story.waited:
        end = max(now, wait.since) if wait.until is None else wait.until
        kind, whom = ("person", "a person") if wait.awaited is Awaited.PERSON else ("limit", "an agent's limit")
        yield Bar(kind=kind, start=wait.since, end=end, text=f"waited for {whom}, {duration(end - wait.since)}")
    if story.row.landing.commit and story.row.ended_at is not None:
        at = story.row.ended_at
        yield Bar(kind="landed", start=at, end=at, text=f"landed at {clock(at)}")


_HEIGHTS: Final = {"ok": 12, "asked": 12, "bad": 12, "now": 12, "person": 6, "limit": 3, "landed": 18}


def timeline(rows: Sequence[tuple[StoryRecord, str, str]], span: Span) -> Html:
    """The rows: a story, its mark, and the place in the page that says more about it."""
    times = [span.start + (span.end - span.start) * number / (_TIMES - 1) for number in range(_TIMES)]
    axis = element("div", *(element("span", clock(at)) for at in times), class_="axis")
    drawn = [_row(story, state, link, span) for story, state, link in rows if story.began]
    return element("div", element("span"), axis, *drawn, class_="timeline")


def _row(story: StoryRecord, state: str, link: str, span: Span) -> Html:
    name = element("a", mark(state), element("span", line(story.asked.id, 40)), href=f"#{link}", class_="name")
    drawn = [_drawn(bar, span) for bar in bars(story, span.end)]
    size = {"viewBox": f"0 0 {_WIDTH} 18", "preserveAspectRatio": "none"}
    svg = element("svg", *drawn, role="img", aria_label=line(f"{story.asked.id} in time"), **size)
    return joined(name, svg)


def _drawn(bar: Bar, span: Span) -> Html:
    start, end, height = span.place(bar.start), span.place(bar.end), _HEIGHTS[bar.kind]
    width = max(end - start, _THINNEST)
    return element(
        "g",
        element("title", line(bar.text)),
        element(
            "rect",
            x=f"{min(start, _WIDTH - width):.1f}",
            y=str(9 - height / 2),
            width=f"{width:.1f}",
            height=str(height),
            class_=bar.kind,
        ),
    )
