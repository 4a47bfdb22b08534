"""Landing, one entry at a time: build a candidate, run the gates on that very commit, move the base to it."""

from shiftwork import failpoints
from shiftwork.app import messages
from shiftwork.app.pen import Pen
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.gate import GateReport
from shiftwork.domain.model.queue import Entry
from shiftwork.domain.model.story import Refusal, StoryState
from shiftwork.ports.workspace import Candidate, Conflict, Missed, Unchanged

DETAIL_LIMIT = 12_000
"""How much of a failing gate's output a refusal carries: enough to act on, small enough for a fact."""


async def build(effect: e.BuildCandidate, pen: Pen) -> tuple[Fact, ...]:
    world, entry = pen.world, effect.entry
    request = entry.request
    message = f"feat: {request.story} - {request.title}\n\n{request.body}"
    built = await world.repository.candidate(pen.state.branch, request.tip, message)
    failpoints.reach("landing.built")
    if isinstance(built, Conflict):
        detail = "These files conflict with what has landed since: " + ", ".join(built.files)
        return (_refused(pen, entry, Refusal.CONFLICT, detail, built),)
    if isinstance(built, Unchanged) and not request.may_be_empty:
        detail = "The story's steps have ended, and nothing in the repository has changed."
        return (_refused(pen, entry, Refusal.EMPTY, detail, built),)
    if isinstance(built, Unchanged):
        built = Candidate(commit=built.base, base=built.base)
    return (_built(pen, entry, built),)


def _built(pen: Pen, entry: Entry, candidate: Candidate) -> Fact:
    return f.CandidateBuilt(
        at=pen.world.clock.now(),
        request=entry.request.key,
        round=entry.round,
        base=candidate.base,
        commit=candidate.commit,
    )


def _refused(pen: Pen, entry: Entry, cause: Refusal, detail: str, why: Conflict | Unchanged | GateReport) -> Fact:
    return f.EntryRefused(
        at=pen.world.clock.now(),
        request=entry.request.key,
        cause=cause,
        detail=detail,
        files=why.files if isinstance(why, Conflict) else (),
        base=entry.base if isinstance(why, GateReport) else why.base,
        report=why if isinstance(why, GateReport) else None,
    )


async def verify(effect: e.VerifyCandidate, pen: Pen) -> tuple[Fact, ...]:
    world, entry = pen.world, effect.entry
    marker = f"{entry.request.run}/{entry.request.story}/verify/{entry.request.number}.{entry.round}"
    report = await world.gates.check(entry.candidate, world.conduct.gates, marker)
    failpoints.reach("landing.verified")
    if not report.passed:
        return (_refused(pen, entry, Refusal.GATES, failing(report), report),)
    return (f.CandidateVerified(at=world.clock.now(), request=entry.request.key, report=report),)


async def move(effect: e.MoveBase, pen: Pen) -> tuple[Fact, ...]:
    entry = effect.entry
    candidate = Candidate(commit=entry.candidate, base=entry.base)
    moved = await pen.world.repository.move(pen.state.branch, candidate)
    failpoints.reach("landing.moved")
    at, request = pen.world.clock.now(), entry.request.key
    if isinstance(moved, Missed):
        return (f.BaseMissed(at=at, request=request),)
    return (f.BaseMoved(at=at, request=request, commit=entry.candidate, ref=moved.ref),)


async def answer(effect: e.AnswerStory, pen: Pen) -> tuple[Fact, ...]:
    request = effect.entry.request
    await pen.world.inbox.post(request.stream, f"answer/{request.number}", messages.answer(effect.entry))
    failpoints.reach("landing.answered")
    return (f.EntryClosed(at=pen.world.clock.now(), request=request.key),)


def failing(report: GateReport) -> str:
    """What the red gates said, for whoever must mend it."""
    parts = [f"gate {red.name} failed:\n{red.output}" for red in report.results if not red.passed]
    text = "\n\n".join(parts)
    return text if len(text) <= DETAIL_LIMIT else "[…]\n" + text[-DETAIL_LIMIT:]


def commit_body(story: StoryState) -> str:
    """What the landed commit tells: the request, the criteria, and where the work can be looked up."""
    given = story.given
    asked = given.story
    criteria = [criterion.text for criterion in asked.criteria if criterion.text != asked.description]
    listed = "\n".join(f"- {text}" for text in criteria)
    described = asked.description if asked.description != asked.title else ""
    trailers = f"Shiftwork-Run: {given.run}\nShiftwork-Story: {asked.id}"
    return "\n\n".join(part for part in (described, listed, trailers) if part)
