"""How facts change a run. A fact that does not fit the state changes nothing."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run import frame as run_frame
from shiftwork.domain.run import memory, notices, scheduling
from shiftwork.domain.run.spec_writeback import marked, owe, update_failed
from shiftwork.domain.run.spending import allowance, usage_before_limit
from shiftwork.domain.run.spending.allowance_answers import paid
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.run.steering import intents, options
from shiftwork.domain.run.transitions import turn_run, turn_story_of
from shiftwork.domain.story.state import StoryStatus


def evolve_run(run: RunState, fact: Fact) -> RunState:
    handler = _RUN.get(type(fact))
    return run if handler is None else handler(run, fact) or run


def _started(run: RunState, fact: run_facts.RunStarted) -> RunState | None:
    turned = turn_run(run, Trigger.START, plan=fact.plan, started_at=fact.at)
    return turned and memory.carried_over(scheduling.scheduled(turned), fact.plan.patterns, fact.at)


def _adopted(run: RunState, fact: run_facts.StoryAdopted) -> RunState | None:
    turned = turn_story_of(run, fact.story, Trigger.ADOPT)
    return turned and scheduling.landed(turned, fact.story)


def _dispatched(run: RunState, fact: run_facts.StoryDispatched) -> RunState | None:
    if not scheduling.could_start(run, fact.story):
        return None
    times = run.stories[fact.story].dispatched + 1
    turned = turn_story_of(run, fact.story, Trigger.START, dispatched=times, stale="")
    return turned and scheduling.begun(turned, fact.story, fact.slot)


def _story_ended(run: RunState, fact: run_facts.StoryEnded) -> RunState | None:
    trigger = _STORY_TRIGGERS.get(fact.status)
    if trigger is None:
        return None
    landed = {"commit": fact.commit, "base": fact.base, "proof": fact.proof}
    ended = {"reason": fact.reason, "cause": fact.cause, "usage": fact.usage}
    turned = turn_story_of(run, fact.story, trigger, **landed, **ended)
    if turned is None:
        return None
    left = usage_before_limit.recorded(intents.forgotten(turned, fact.story), fact.story, fact.unrecorded)
    settled = memory.ended(paid(left, fact.story, run.stories[fact.story].usage, fact.usage), fact)
    if trigger is Trigger.FAIL:
        return scheduling.failed(settled, fact.story)
    return owe(run_frame.noted(scheduling.landed(settled, fact.story), fact.context), fact.story)


def _messages_read(run: RunState, fact: MessagesRead) -> RunState | None:
    return replace(run, cursor=max(run.cursor, fact.upto))


_STORY_TRIGGERS: Final = {StoryStatus.COMPLETED: Trigger.COMPLETE, StoryStatus.FAILED: Trigger.FAIL}
_RUN_TRIGGERS: Final = {
    RunStatus.COMPLETED: Trigger.COMPLETE,
    RunStatus.FAILED: Trigger.FAIL,
    RunStatus.CANCELLED: Trigger.CANCEL,
    RunStatus.UNDONE: Trigger.UNDO,
}


def _ended(run: RunState, fact: run_facts.RunEnded) -> RunState | None:
    trigger = _RUN_TRIGGERS.get(fact.status)
    return None if trigger is None else turn_run(run, trigger, ended_at=fact.at, endings=run.endings + 1)


_RUN: Final[dict[type[Fact], Callable[[RunState, Any], RunState | None]]] = {
    run_facts.RunStarted: _started,
    run_facts.StoryAdopted: _adopted,
    run_facts.StoryDispatched: _dispatched,
    run_facts.StoryWaits: scheduling.waits,
    run_facts.StoryEnded: _story_ended,
    run_facts.NoteShared: memory.note_shared,
    run_facts.MemoryKept: memory.memory_kept,
    run_facts.SpecUpdated: marked,
    run_facts.SpecUpdateFailed: update_failed,
    MessagesRead: _messages_read,
    NoticeTried: notices.run_noticed,
    run_facts.RunEnded: _ended,
    **run_frame.HANDLERS,
    **intents.HANDLERS,
    **allowance.RUN_HANDLERS,
    **options.HANDLERS,
}
