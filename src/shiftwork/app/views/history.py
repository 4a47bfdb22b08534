"""Everything in the history about one run: its stories, their steps, and their landing queue."""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from shiftwork.app.folds import RUN, STORY, read
from shiftwork.app.views.gate_history import Checked, gate_checks
from shiftwork.domain.budget.amounts import Amount
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, RunId, StoryId, run_stream, story_stream
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.run.facts.spending import AmountReserved
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import StoryState, StoryStatus
from shiftwork.errors import UnknownRunError
from shiftwork.ports.store import History
from shiftwork.records import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A fact that changed the story, with the state before and after it."""

    fact: Fact
    before: StoryState
    after: StoryState


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
    state, facts = await run_history(events, run)
    checks = await gate_checks(events, state.given.landing, run)
    asked = state.given.spec.stories
    found = {story: await read(events, story_stream(run, story), 0, None) for story in (FRAME, *(s.id for s in asked))}
    with _no_collection():
        stories = [story_account(story, found[story.id], checks.get(story.id, ())) for story in asked]
        frame = frame_account(found[FRAME], checks.get(FRAME, ()))
    known = (*frame, *stories)
    message = (*facts, *(turn.fact for story in known for turn in story.turns))
    return Account(run=state, stories=known, reserved=reserved_in(facts), undelivered=undelivered_in(message))


async def run_history(events: History, run: RunId) -> tuple[RunState, Sequence[Fact]]:
    """Reads the facts of the run itself; raises UnknownRunError if there are none."""
    facts = await read(events, run_stream(run), 0, None)
    state = RUN.fold(RUN.start, facts)
    if state.plan is None:
        hint = "shiftwork status --all lists the runs; an archived run is in the folder where it was archived"
        raise UnknownRunError(f"there is no run {run}", hint=hint)
    return state, facts


def reserved_in(facts: Iterable[Fact]) -> Mapping[tuple[StoryId, int], Amount]:
    return {(fact.story, fact.number): fact.amount for fact in facts if isinstance(fact, AmountReserved)}


def undelivered_in(facts: Iterable[Fact]) -> tuple[NoticeTried, ...]:
    return tuple(fact for fact in facts if isinstance(fact, NoticeTried) and fact.missed)


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


def frame_account(facts: Sequence[Fact], checks: Sequence[Checked]) -> Sequence[StoryAccount]:
    turns = tuple(_turns(facts))
    if not turns:
        return ()
    state = turns[-1].after
    return (StoryAccount(asked=state.given.story, state=state, turns=turns, checks=tuple(checks)),)


def story_account(asked: Story, facts: Sequence[Fact], checks: Sequence[Checked]) -> StoryAccount:
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
