"""How facts change a run. A fact that does not fit the state changes nothing at all."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from shiftwork.domain.model import facts as f
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.notice_facts import NoticeTried
from shiftwork.domain.model.run import RunState, RunStatus
from shiftwork.domain.model.story import StoryStatus
from shiftwork.domain.rules import allowing, booking, framing, noticing, options, remembering, scheduling, steering
from shiftwork.domain.rules.budgets import paid
from shiftwork.domain.rules.machine import Trigger, turn_run, turn_story_of
from shiftwork.domain.rules.ticking import owe, tick_failed, ticked


def evolve_run(run: RunState, fact: f.Fact) -> RunState:
    handler = _RUN.get(type(fact))
    return run if handler is None else handler(run, fact) or run


def _started(run: RunState, fact: r.RunStarted) -> RunState | None:
    turned = turn_run(run, Trigger.START, plan=fact.plan, started_at=fact.at)
    return turned and remembering.carried_over(scheduling.scheduled(turned), fact.plan.patterns, fact.at)


def _adopted(run: RunState, fact: r.StoryAdopted) -> RunState | None:
    turned = turn_story_of(run, fact.story, Trigger.ADOPT)
    return turned and scheduling.landed(turned, fact.story)


def _dispatched(run: RunState, fact: r.StoryDispatched) -> RunState | None:
    if not scheduling.could_start(run, fact.story):
        return None
    times = run.stories[fact.story].dispatched + 1
    turned = turn_story_of(run, fact.story, Trigger.START, dispatched=times, stale="")
    return turned and scheduling.begun(turned, fact.story, fact.slot)


def _story_ended(run: RunState, fact: r.StoryEnded) -> RunState | None:
    trigger = _STORY_TRIGGERS.get(fact.status)
    if trigger is None:
        return None
    landed = {"commit": fact.commit, "base": fact.base, "proof": fact.proof}
    ended = {"reason": fact.reason, "cause": fact.cause, "usage": fact.usage}
    turned = turn_story_of(run, fact.story, trigger, **landed, **ended)
    if turned is None:
        return None
    left = booking.booked(steering.forgotten(turned, fact.story), fact.story, fact.unbooked)
    settled = remembering.ended(paid(left, fact.story, run.stories[fact.story].usage, fact.usage), fact)
    if trigger is Trigger.FAIL:
        return scheduling.failed(settled, fact.story)
    return owe(framing.noted(scheduling.landed(settled, fact.story), fact.context), fact.story)


def _messages_read(run: RunState, fact: f.MessagesRead) -> RunState | None:
    return replace(run, cursor=max(run.cursor, fact.upto))


_STORY_TRIGGERS: Final = {StoryStatus.COMPLETED: Trigger.COMPLETE, StoryStatus.FAILED: Trigger.FAIL}
_RUN_TRIGGERS: Final = {
    RunStatus.COMPLETED: Trigger.COMPLETE,
    RunStatus.FAILED: Trigger.FAIL,
    RunStatus.CANCELLED: Trigger.CANCEL,
    RunStatus.UNDONE: Trigger.UNDO,
}


def _ended(run: RunState, fact: r.RunEnded) -> RunState | None:
    trigger = _RUN_TRIGGERS.get(fact.status)
    return None if trigger is None else turn_run(run, trigger, ended_at=fact.at, endings=run.endings + 1)


_RUN: Final[dict[type[f.Fact], Callable[[RunState, Any], RunState | None]]] = {
    r.RunStarted: _started,
    r.StoryAdopted: _adopted,
    r.StoryDispatched: _dispatched,
    r.StoryWaits: scheduling.waits,
    r.StoryEnded: _story_ended,
    r.NoteShared: remembering.note_shared,
    r.MemoryKept: remembering.memory_kept,
    r.SpecTicked: ticked,
    r.SpecTickFailed: tick_failed,
    f.MessagesRead: _messages_read,
    NoticeTried: noticing.run_noticed,
    r.RunEnded: _ended,
    **framing.HANDLERS,
    **steering.HANDLERS,
    **allowing.RUN_HANDLERS,
    **options.HANDLERS,
}
