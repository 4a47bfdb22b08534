"""What the gates said about the candidates of a run, from the history of its landing queue."""

from collections.abc import Mapping, Sequence
from typing import Final

from shiftwork.domain.core.ids import Commit, RunId, StoryId, Stream
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.landing.facts import BaseMoved, CandidateFailed, CandidateVerified, EntryRefused
from shiftwork.domain.landing.state import requested_by
from shiftwork.ports.store import History
from shiftwork.records import dataclass, replace

_KINDS: Final = (CandidateVerified, CandidateFailed, EntryRefused, BaseMoved)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The gate report on a candidate of a story, made for a landing `request`."""

    at: float
    request: str
    report: GateReport


async def gate_checks(
    events: History, queue: Stream, run: RunId, story: str = ""
) -> Mapping[StoryId, Sequence[Checked]]:
    """Returns all gate reports in the queue's history about this run, by story; with `story`, only that one's. A
    refusal usually repeats the last report; it has its own if the gates were green but not sufficient.
    """
    recorded = await events.read(queue, kinds=_KINDS, naming=f"{run}/{story}/" if story else f"{run}/")
    found: dict[StoryId, list[Checked]] = {}
    last: dict[str, GateReport] = {}
    for fact in (each.fact for each in recorded):
        match fact:
            case CandidateVerified(request=request, report=report) | CandidateFailed(request=request, report=report):
                pass
            case EntryRefused(request=request, report=GateReport() as report) if report != last.get(request):
                pass
            case BaseMoved():
                _renamed(found, fact)
                continue
            case _:
                continue
        last[request] = report
        of, story = requested_by(request)
        if of == run:
            found.setdefault(story, []).append(Checked(at=fact.at, request=request, report=report))
    return found


def _renamed(found: Mapping[StoryId, list[Checked]], fact: BaseMoved) -> None:
    """Puts the landed commit into the last report: it has the same tree as the checked candidate."""
    final = dict(zip(fact.requests, fact.commits, strict=False))
    for story in {requested_by(request)[1] for request in final}:
        checks = found.get(story, [])
        checks[-1:] = [
            _of_commit(checked, final.get(checked.request, checked.report.commit)) for checked in checks[-1:]
        ]


def _of_commit(checked: Checked, commit: Commit) -> Checked:
    return replace(checked, report=replace(checked.report, commit=commit))
