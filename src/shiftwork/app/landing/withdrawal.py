"""Withdraws requests to land: the messages from a story, or from a run that undoes a story, and how the queue receives
them while gates run.
"""

from shiftwork import failpoints
from shiftwork.app.messaging import messages, run_inbox
from shiftwork.app.runtime.context import job_of
from shiftwork.app.runtime.recorder import QueueRecorder, RunRecorder, StoryRecorder
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.batching import lands_now
from shiftwork.domain.landing.state import request_key
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run.steering.undo import undo_request
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts


async def withdraw(effect: story_effects.WithdrawLanding, recorder: StoryRecorder) -> tuple[Fact, ...]:
    given = recorder.state.given
    return await _reverted(recorder, request_key(given.run, given.story.id, effect.number), effect.number)


async def withdraw_undo(effect: run_effects.WithdrawUndo, recorder: RunRecorder) -> tuple[Fact, ...]:
    request = undo_request(recorder.state, effect.story)
    return await _reverted(recorder, request.key, request.number)


async def _reverted(recorder: StoryRecorder | RunRecorder, request: str, number: int) -> tuple[Fact, ...]:
    context, queue = recorder.context, recorder.state.given.landing
    await run_inbox.withdraw(context.inbox, queue, request)
    await context.engine.start(job_of(queue))
    return (story_facts.LandingWithdrawalAsked(at=context.clock.now(), number=number),)


async def take_in(recorder: QueueRecorder) -> bool:
    """Record withdrawals in the queue, unless it is about to move the branch: then the messages wait until it is known
    what has landed. Returns whether there were any.
    """
    if lands_now(recorder.state.chain, recorder.state.policy):
        return False
    unread_messages = await run_inbox.unread(recorder)
    if not messages.holds(unread_messages, landing_facts.EntryWithdrawn):
        return False
    await run_inbox.take_in(recorder, unread_messages)
    failpoints.reach("withdrawal.heard")
    return True


async def asked_for(recorder: QueueRecorder) -> None:
    """Return when something is withdrawn."""
    await run_inbox.until(recorder, landing_facts.EntryWithdrawn)
