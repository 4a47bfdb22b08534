"""How facts change a run and a landing queue. A fact that does not fit the state changes nothing at all."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from shiftwork.domain.model import facts as f
from shiftwork.domain.model.ids import StoryId
from shiftwork.domain.model.queue import Entry, QueueState
from shiftwork.domain.model.run import RunState, RunStatus, StoryOutcome
from shiftwork.domain.model.story import StoryStatus
from shiftwork.domain.rules.machine import Trigger, turn_entry, turn_outcome, turn_run


def evolve_run(run: RunState, fact: f.Fact) -> RunState:
    handler = _RUN.get(type(fact))
    return run if handler is None else handler(run, fact) or run


def _started(run: RunState, fact: f.RunStarted) -> RunState | None:
    outcomes = {story.id: StoryOutcome() for story in fact.plan.spec.stories}
    return turn_run(run, Trigger.START, plan=fact.plan, stories=outcomes, started_at=fact.at)


def _dispatched(run: RunState, fact: f.StoryDispatched) -> RunState | None:
    return _turn_story(run, fact.story, Trigger.START)


def _story_ended(run: RunState, fact: f.StoryEnded) -> RunState | None:
    trigger = _STORY_TRIGGERS.get(fact.status)
    if trigger is None:
        return None
    told = {"commit": fact.commit, "reason": fact.reason, "cause": fact.cause, "usage": fact.usage}
    return _turn_story(run, fact.story, trigger, **told)


def _turn_story(run: RunState, story: StoryId, trigger: Trigger, **changes: Any) -> RunState | None:
    known = run.stories.get(story)
    if run.status is not RunStatus.RUNNING or known is None:
        return None
    outcome = turn_outcome(known, trigger, **changes)
    return None if outcome is None else replace(run, stories={**run.stories, story: outcome})


def _messages_read(run: RunState, fact: f.MessagesRead) -> RunState | None:
    return replace(run, cursor=max(run.cursor, fact.upto))


def _cancel_requested(run: RunState, fact: f.CancelRequested) -> RunState | None:  # noqa: ARG001 - one shape for all
    return replace(run, cancelling=True) if run.status is RunStatus.RUNNING else None


def _cancel_forwarded(run: RunState, fact: f.CancelForwarded) -> RunState | None:
    return replace(run, cancelled_stories=run.cancelled_stories | {fact.story})


_STORY_TRIGGERS: Final = {StoryStatus.COMPLETED: Trigger.COMPLETE, StoryStatus.FAILED: Trigger.FAIL}
_RUN_TRIGGERS: Final = {
    RunStatus.COMPLETED: Trigger.COMPLETE,
    RunStatus.FAILED: Trigger.FAIL,
    RunStatus.CANCELLED: Trigger.CANCEL,
}


def _ended(run: RunState, fact: f.RunEnded) -> RunState | None:
    trigger = _RUN_TRIGGERS.get(fact.status)
    return None if trigger is None else turn_run(run, trigger, ended_at=fact.at)


_RUN: Final[dict[type[f.Fact], Callable[[RunState, Any], RunState | None]]] = {
    f.RunStarted: _started,
    f.StoryDispatched: _dispatched,
    f.StoryEnded: _story_ended,
    f.MessagesRead: _messages_read,
    f.CancelRequested: _cancel_requested,
    f.CancelForwarded: _cancel_forwarded,
    f.RunEnded: _ended,
}


def evolve_queue(queue: QueueState, fact: f.Fact) -> QueueState:
    if isinstance(fact, f.MessagesRead):
        return replace(queue, cursor=max(queue.cursor, fact.upto))
    if isinstance(fact, f.EntryQueued):
        return _queued(queue, fact)
    handler = _QUEUE.get(type(fact))
    head = queue.head
    if handler is None or head is None or head.request.key != getattr(fact, "request", None):
        return queue
    changed = handler(head, fact)
    if changed is None:
        return queue
    rest = queue.entries[1:]
    return replace(queue, entries=rest if isinstance(fact, f.EntryClosed) else (changed, *rest))


def _queued(queue: QueueState, fact: f.EntryQueued) -> QueueState:
    if any(entry.request.key == fact.request.key for entry in queue.entries):
        return queue
    return replace(queue, branch=fact.branch, entries=(*queue.entries, Entry(request=fact.request)))


def _built(entry: Entry, fact: f.CandidateBuilt) -> Entry | None:
    return turn_entry(entry, Trigger.BUILD, base=fact.base, candidate=fact.commit)


def _verified(entry: Entry, fact: f.CandidateVerified) -> Entry | None:
    """Only a report on the very commit that would land, with every gate green, verifies it."""
    if fact.report.commit != entry.candidate or not fact.report.passed:
        return None
    return turn_entry(entry, Trigger.VERIFY, report=fact.report)


def _moved(entry: Entry, fact: f.BaseMoved) -> Entry | None:
    if fact.commit != entry.candidate:
        return None
    return turn_entry(entry, Trigger.LAND, landed_ref=fact.ref)


def _missed(entry: Entry, fact: f.BaseMissed) -> Entry | None:  # noqa: ARG001 - one shape for all
    return turn_entry(entry, Trigger.MISS, round=entry.round + 1)


def _refused(entry: Entry, fact: f.EntryRefused) -> Entry | None:
    return turn_entry(
        entry,
        Trigger.REFUSE,
        refusal=fact.cause,
        detail=fact.detail,
        files=fact.files,
        base=fact.base,
        report=fact.report,
    )


def _closed(entry: Entry, fact: f.EntryClosed) -> Entry | None:  # noqa: ARG001
    return turn_entry(entry, Trigger.CLOSE)


_QUEUE: Final[dict[type[f.Fact], Callable[[Entry, Any], Entry | None]]] = {
    f.CandidateBuilt: _built,
    f.CandidateVerified: _verified,
    f.BaseMoved: _moved,
    f.BaseMissed: _missed,
    f.EntryRefused: _refused,
    f.EntryClosed: _closed,
}
