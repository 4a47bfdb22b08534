"""What a landing queue does next, from the state of its first entry."""

from shiftwork.domain.model import effects as e
from shiftwork.domain.model.queue import EntryStage, QueueState
from shiftwork.domain.rules.deciding import Effects, receive


def decide_queue(queue: QueueState) -> Effects:
    """One entry at a time; an empty queue looks into its inbox once and rests when there is nothing."""
    entry = queue.head
    if entry is None:
        return (receive(queue.cursor, wait=False),)
    key = f"{entry.request.key}/{entry.stage}/{entry.round}"
    match entry.stage:
        case EntryStage.QUEUED:
            return (e.BuildCandidate(key=key, entry=entry),)
        case EntryStage.BUILT:
            return (e.VerifyCandidate(key=key, entry=entry),)
        case EntryStage.VERIFIED:
            return (e.MoveBase(key=key, entry=entry),)
        case _:
            return (e.AnswerStory(key=key, entry=entry),)
