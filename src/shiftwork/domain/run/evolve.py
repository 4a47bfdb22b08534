"""How facts change a run. A fact that does not fit the state changes nothing."""

from typing import Final

from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.handlers import Handlers, handlers, on
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run import frame as run_frame
from shiftwork.domain.run import memory, notices, scheduling
from shiftwork.domain.run.lost_work import landed_sought
from shiftwork.domain.run.spec_writeback import marked, owe, update_failed
from shiftwork.domain.run.spending import allowance, usage_before_limit
from shiftwork.domain.run.spending.allowance_answers import paid
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.run.steering import intents, options
from shiftwork.domain.run.transitions import turn_run, turn_story_of
from shiftwork.domain.story.state import StoryStatus
from shiftwork.records import replace


def evolve_run(run: RunState, fact: Fact) -> RunState:
    handler = _RUN.get(type(fact))
    return run if handler is None else handler(run, fact) or run


def _started(run: RunState, fact: run_facts.RunStarted) -> RunState | None:
    turned = turn_run(replace(run, plan=fact.plan, started_at=fact.at), Trigger.START)
    if turned is None:
        return None
    # The run's own steps may plan other stories: then it is decided later whether the run is ordered.
    planned_later = bool(fact.plan.workflow.frame)
    known = scheduling.scheduled(turned) if planned_later else scheduling.decided(turned, fact.plan.spec.stories)
    return memory.carried_over(known, fact.plan.patterns, fact.at)


def _adopted(run: RunState, fact: run_facts.StoryAdopted) -> RunState | None:
    turned = turn_story_of(run, fact.story, Trigger.ADOPT)
    return turned and scheduling.landed(turned, fact.story)


def _dispatched(run: RunState, fact: run_facts.StoryDispatched) -> RunState | None:
    if not scheduling.could_start(run, fact.story):
        return None
    turned = turn_story_of(
        run, fact.story, Trigger.START, lambda known: replace(known, dispatched=known.dispatched + 1, stale="")
    )
    return turned and scheduling.begun(turned, fact.story, fact.slot)


def _story_ended(run: RunState, fact: run_facts.StoryEnded) -> RunState | None:
    trigger = _STORY_TRIGGERS.get(fact.status)
    if trigger is None:
        return None
    turned = turn_story_of(
        run,
        fact.story,
        trigger,
        lambda known: replace(
            known,
            commit=fact.commit,
            base=fact.base,
            proof=fact.proof,
            reason=fact.reason,
            cause=fact.cause,
            usage=fact.usage,
        ),
    )
    if turned is None:
        return None
    left = usage_before_limit.recorded(intents.forgotten(turned, fact.story), fact.story, fact.unrecorded)
    settled = memory.ended(paid(left, fact.story, run.stories[fact.story].usage, fact.usage), fact)
    if trigger is not Trigger.COMPLETE:
        return scheduling.failed(settled, fact.story)
    return owe(run_frame.noted(scheduling.landed(settled, fact.story), fact.context), fact.story)


def _messages_read(run: RunState, fact: MessagesRead) -> RunState | None:
    return replace(run, cursor=max(run.cursor, fact.upto))


_STORY_TRIGGERS: Final = {
    StoryStatus.COMPLETED: Trigger.COMPLETE,
    StoryStatus.FAILED: Trigger.FAIL,
    StoryStatus.CANCELLED: Trigger.CANCEL,
}
_RUN_TRIGGERS: Final = {
    RunStatus.COMPLETED: Trigger.COMPLETE,
    RunStatus.FAILED: Trigger.FAIL,
    RunStatus.CANCELLED: Trigger.CANCEL,
    RunStatus.UNDONE: Trigger.UNDO,
}


def _ended(run: RunState, fact: run_facts.RunEnded) -> RunState | None:
    trigger = _RUN_TRIGGERS.get(fact.status)
    ended = replace(run, ended_at=fact.at, endings=run.endings + 1)
    return turn_run(ended, trigger) if trigger else None


_RUN: Final[Handlers[RunState, RunState | None]] = (
    handlers(
        on(run_facts.RunStarted, _started),
        on(run_facts.StoryAdopted, _adopted),
        on(run_facts.LandedSought, landed_sought),
        on(run_facts.StoryDispatched, _dispatched),
        on(run_facts.StoryWaits, scheduling.waits),
        on(run_facts.StoryEnded, _story_ended),
        on(run_facts.NoteShared, memory.note_shared),
        on(run_facts.MemoryKept, memory.memory_kept),
        on(run_facts.SpecUpdated, marked),
        on(run_facts.SpecUpdateFailed, update_failed),
        on(MessagesRead, _messages_read),
        on(NoticeTried, notices.run_noticed),
        on(run_facts.RunEnded, _ended),
    )
    | run_frame.HANDLERS
    | intents.HANDLERS
    | allowance.RUN_HANDLERS
    | options.HANDLERS
)
