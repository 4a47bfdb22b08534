"""How facts change a landing queue. A fact that does not fit the state changes nothing at all."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from shiftwork.domain.model import facts as f
from shiftwork.domain.model.queue import Entry, QueueState
from shiftwork.domain.rules.machine import Trigger, turn_entry


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
