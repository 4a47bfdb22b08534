"""What took time in a run by its facts: stories in their slots, places in the landing queue, and gates. It grows with
the facts, so that a reader that has read some needs only those after them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from shiftwork.app.runtime import state_labels
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.landing import facts as landing
from shiftwork.domain.landing.state import requested_by
from shiftwork.domain.run.facts import StoryDispatched, StoryEnded
from shiftwork.ports.views import StepRow
from shiftwork.records import dataclass, field, replace

RUN_KINDS: Final = (StoryDispatched, StoryEnded)
"""The facts of a run that stays are made from."""

QUEUE_KINDS: Final = (
    landing.EntryQueued,
    landing.CandidateBuilt,
    landing.CandidateVerified,
    landing.CandidateUnproved,
    landing.CandidateFailed,
    landing.BaseMoved,
    landing.EntryRefused,
    landing.EntryWithdrawn,
)
"""The facts of a landing queue that landings and gates are made from."""

type SpanKind = Literal["story", "attempt", "gates", "landing", "person", "limit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Something that took time; `end` is None while it lasts. Only a story has its slot."""

    kind: SpanKind
    story: str
    start: float
    end: float | None = None
    slot: int | None = None
    step: StepRow | None = None
    step_id: str = ""
    attempt: int | None = None
    ending: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotSpans:
    """The stories in their slots, each from its start to its end."""

    open: Mapping[str, Span] = field(default_factory=dict)
    ended: tuple[Span, ...] = ()

    def after(self, facts: Sequence[Fact]) -> "SlotSpans":
        lasting, ended = dict(self.open), list(self.ended)
        for fact in facts:
            if isinstance(fact, StoryDispatched):
                lasting[fact.story] = Span(kind="story", story=fact.story, start=fact.at, slot=fact.slot)
            elif isinstance(fact, StoryEnded) and (start := lasting.pop(fact.story, None)):
                proof = fact.proof.level if fact.proof else None
                ended.append(replace(start, end=fact.at, ending=state_labels.word(fact.status, proof=proof)))
        return SlotSpans(open=lasting, ended=tuple(ended))

    def __iter__(self) -> Iterator[Span]:
        yield from self.ended
        yield from self.open.values()


_ENDINGS: Final[Mapping[type[Fact], str]] = {
    landing.BaseMoved: "landed",
    landing.EntryRefused: "refused",
    landing.EntryWithdrawn: "withdrawn",
}
_VERDICTS: Final[Mapping[type[Fact], str]] = {
    landing.CandidateVerified: "passed",
    landing.CandidateUnproved: "unproved",
    landing.CandidateFailed: "failed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Landings:
    """The requests of a run in its landing queue: the places in it, and the gates, from the commit that they run on to
    what they say. Red ones run again, because they may be flaky.
    """

    run: RunId
    queued: Mapping[str, Span] = field(default_factory=dict)
    checked: Mapping[str, Span] = field(default_factory=dict)
    ended: tuple[Span, ...] = ()

    def after(self, facts: Sequence[Fact]) -> "Landings":
        queued, checked, ended = dict(self.queued), dict(self.checked), list(self.ended)
        for fact in facts:
            for request in _requests(fact):
                run, story = requested_by(request)
                if run == self.run:
                    ended += _ended(fact, request, queued)
                    ended += _judged(fact, request, checked)
                    _begin(fact, request, story, queued, checked)
        return Landings(run=self.run, queued=queued, checked=checked, ended=tuple(ended))

    def __iter__(self) -> Iterator[Span]:
        yield from self.ended
        yield from self.queued.values()
        yield from self.checked.values()


def _begin(fact: Fact, request: str, story: str, queued: dict[str, Span], checked: dict[str, Span]) -> None:
    if isinstance(fact, landing.EntryQueued):
        queued[request] = Span(kind="landing", story=story, start=fact.at)
    elif isinstance(fact, landing.CandidateBuilt | landing.CandidateFailed):
        checked[request] = Span(kind="gates", story=story, start=fact.at)


def _ended(fact: Fact, request: str, queued: dict[str, Span]) -> Iterator[Span]:
    if type(fact) in _ENDINGS and (begun := queued.pop(request, None)):
        yield replace(begun, end=fact.at, ending="needs approval" if _awaits(fact) else _ENDINGS[type(fact)])


def _judged(fact: Fact, request: str, checked: dict[str, Span]) -> Iterator[Span]:
    if type(fact) in _ENDINGS:
        checked.pop(request, None)
    elif isinstance(fact, landing.CandidateVerified | landing.CandidateUnproved | landing.CandidateFailed):
        verdict = "passed" if _awaits(fact) else _VERDICTS[type(fact)]
        if begun := checked.pop(request, None):
            yield replace(begun, end=fact.at, ending=verdict, text=_names(fact.report, passed=verdict != "failed"))


def _awaits(fact: Fact) -> bool:
    """Whether only the approval of a person is missing: the gates have passed."""
    return getattr(fact, "cause", None) is Refusal.APPROVAL


def _requests(fact: Fact) -> tuple[str, ...]:
    match fact:
        case landing.EntryQueued():
            return (fact.request.key,)
        case landing.BaseMoved():
            return fact.requests
        case _:
            return (str(getattr(fact, "request", "")),)


def _names(report: GateReport, *, passed: bool) -> str:
    """The gates that decided."""
    return ", ".join(dict.fromkeys(result.name for result in report.results if result.passed is passed))
