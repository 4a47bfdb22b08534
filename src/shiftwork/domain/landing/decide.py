"""What a landing queue does next: answer, land, check, refuse, or take the next batch."""

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.decision import NOW, Effects
from shiftwork.domain.core.refusal import Refusal, RefusalText
from shiftwork.domain.gates.attribution import failing
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.landing import effects as landing_effects
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.batching import has_room, lands_now, to_check
from shiftwork.domain.landing.state import Entry, QueueState


def decide_queue(queue: QueueState) -> Effects:
    """One batch at a time, which others may join. A queue without a batch reads its inbox, and is idle when no story
    waits.
    """
    if message := answers(queue):
        return message
    chain = queue.chain
    if not chain:
        return (landing_effects.TakeBatch(key=f"batch/{queue.batch + 1}/{queue.cursor}", cursor=queue.cursor),)
    if landing := lands_now(chain, queue.policy):
        return (landing_effects.MoveBase(key=f"move/{queue.batch}/{landing[-1].request.key}", entries=landing),)
    if has_room(queue):
        joining = queue.waiting[0]
        key = f"join/{queue.batch}/{joining.request.key}/{joining.round}"
        return (landing_effects.TakeBatch(key=key, cursor=queue.cursor),)
    if checks := to_check(chain, queue.policy):
        key = f"check/{queue.batch}/{checks[0].request.key}/{queue.verdicts + 1}"
        return (landing_effects.CheckCandidates(key=key, entries=checks),)
    return (_refuse(chain[0], chain[0].report),)


def answers(queue: QueueState) -> tuple[landing_effects.AnswerStories, ...]:
    entries = queue.settled
    return (landing_effects.AnswerStories(key=f"answer/{entries[0].request.key}", entries=entries),) if entries else ()


def _refuse(culprit: Entry, report: GateReport | None) -> e.Conclude:
    """Everything before it has landed by now, so the story is sent back to be repaired on top of the current base."""
    text = culprit.lacking or (failing(report) if report else RefusalText())
    refused = landing_facts.EntryRefused(
        at=NOW,
        request=culprit.request.key,
        cause=culprit.cause if culprit.lacking else Refusal.GATES,
        detail=text.detail,
        files=culprit.differs,
        base=culprit.base,
        report=report,
        feedback=text.feedback,
    )
    return e.Conclude(key=f"refuse/{culprit.request.key}", facts=(refused,))
