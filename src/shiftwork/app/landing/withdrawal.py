"""Withdraws requests to land: the messages from a story, or from a run that undoes a story, and how the queue receives
them while gates run.
"""

import asyncio
from typing import Final

from shiftwork import failpoints
from shiftwork.app.messaging import messages, run_inbox
from shiftwork.app.runtime.context import job_of
from shiftwork.app.runtime.recorder import QueueRecorder, RunRecorder, StoryRecorder
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.state import request_key
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run.steering.undo import undo_request
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts

FIRST_LOOK_SECONDS: Final = 0.05
"""The first check for messages is late, so that quick gates are not slowed down."""


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
    """Record requests and withdrawals in the queue; returns whether there were any. Not while it is about to move the
    branch: then the messages wait until it is known what has landed.
    """
    unread_messages = await run_inbox.unread(recorder)
    if not unread_messages:
        return False
    await run_inbox.take_in(recorder, unread_messages)
    if messages.holds(unread_messages, landing_facts.EntryWithdrawn):
        failpoints.reach("withdrawal.heard")
    return True


async def news(recorder: QueueRecorder) -> None:
    """Return when there is a message for the queue."""
    await asyncio.sleep(FIRST_LOOK_SECONDS)
    await recorder.context.inbox.wait(recorder.stream, after=recorder.state.cursor)
