"""Everything in the history about one run: its stories, their steps, and their landing queue."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from shiftwork.app.runtime.streams import RUN, STORY, read
from shiftwork.domain.budget.amounts import Amount
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, Commit, RunId, StoryId, run_stream, story_stream
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.landing.facts import BaseMoved, CandidateFailed, CandidateVerified, EntryRefused
from shiftwork.domain.landing.state import requested_by
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.run.facts.spending import AmountReserved
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import StoryState, StoryStatus
from shiftwork.errors import UnknownRunError
from shiftwork.ports.store import History
from shiftwork.records import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A fact that changed the story, with the state before and after it."""

    fact: Fact
    before: StoryState
    after: StoryState


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The gate report on a candidate of a story, made for a landing `request`."""

    at: float
    request: str
    report: GateReport


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryAccount:
    """`asked` is the story in the spec. A story that has not started has no turns."""

    asked: Story
    state: StoryState
    turns: tuple[Turn, ...]
    checks: tuple[Checked, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A run with its stories in the order of the spec; the run's own steps come first, once they have started.
    `reserved` are the amounts for attempts, by story and claim number; `undelivered` are failed notifications.
    """

    run: RunState
    stories: tuple[StoryAccount, ...]
    reserved: Mapping[tuple[StoryId, int], Amount] = field(default_factory=dict)
    undelivered: tuple[NoticeTried, ...] = ()

    def status(self, story_account: StoryAccount) -> StoryStatus:
        """Returns the status from the run, which also covers stories that never start."""
        known = self.run.stories.get(story_account.asked.id)
        return known.status if known else story_account.state.status


async def account(events: History, run: RunId) -> Account:
    """Reads the whole run; raises UnknownRunError if the history does not have it."""
    facts = await read(events, run_stream(run), 0, None)
    state = RUN.fold(RUN.start, facts)
    if state.plan is None:
        hint = "shiftwork status --all lists the runs; an archived run is in the folder where it was archived"
        raise UnknownRunError(f"there is no run {run}", hint=hint)
    checks = _checks(run, await read(events, state.plan.landing, 0, None))
    asked = state.plan.spec.stories
    found = {story: await read(events, story_stream(run, story), 0, None) for story in (FRAME, *(s.id for s in asked))}
    with _no_collection():
        stories = [_story(story, found[story.id], checks.get(story.id, ())) for story in asked]
        frame = _frame(found[FRAME], checks.get(FRAME, ()))
    reserved = {(fact.story, fact.number): fact.amount for fact in facts if isinstance(fact, AmountReserved)}
    message = (*facts, *(turn.fact for story in stories for turn in story.turns))
    missed = tuple(fact for fact in message if isinstance(fact, NoticeTried) and fact.missed)
    return Account(run=state, stories=(*frame, *stories), reserved=reserved, undelivered=missed)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Pauses the search for garbage in cycles: an account keeps every state, and the search would look at all of them
    again and again. Nothing is awaited meanwhile, so that two pauses do not overlap.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(0)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def _frame(facts: Sequence[Fact], checks: Sequence[Checked]) -> Sequence[StoryAccount]:
    turns = tuple(_turns(facts))
    if not turns:
        return ()
    state = turns[-1].after
    return (StoryAccount(asked=state.given.story, state=state, turns=turns, checks=tuple(checks)),)


def _story(asked: Story, facts: Sequence[Fact], checks: Sequence[Checked]) -> StoryAccount:
    turns = tuple(_turns(facts))
    state = turns[-1].after if turns else StoryState()
    return StoryAccount(asked=asked, state=state, turns=turns, checks=tuple(checks))


def _turns(facts: Sequence[Fact]) -> Iterator[Turn]:
    state = STORY.start
    for fact in facts:
        after = STORY.evolve(state, fact)
        if after is not state:
            yield Turn(fact=fact, before=state, after=after)
        state = after


def _checks(run: RunId, facts: Sequence[Fact]) -> Mapping[StoryId, list[Checked]]:
    """Returns all gate reports in the queue's history about this run, by story. A refusal usually repeats the last
    report; it has its own if the gates were green but not sufficient.
    """
    found: dict[StoryId, list[Checked]] = {}
    last: dict[str, GateReport] = {}
    for fact in facts:
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
