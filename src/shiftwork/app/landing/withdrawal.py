"""Taking back a request to land: what a story, or a run that undoes one, says to its queue, and how the queue hears it
while gates run.
"""

from shiftwork import failpoints
from shiftwork.app.messaging import mailbox, messages
from shiftwork.app.runtime.landing_lock import call
from shiftwork.app.runtime.recorder import QueueRecorder, RunRecorder, StoryRecorder
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.landing.batching import lands_now
from shiftwork.domain.landing.state import request_key
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run.steering.undo import undo_request
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts


async def withdraw(effect: story_effects.WithdrawLanding, recorder: StoryRecorder) -> tuple[Fact, ...]:
    given = recorder.state.given
    return await _taken_back(recorder, request_key(given.run, given.story.id, effect.number), effect.number)


async def withdraw_undo(effect: run_effects.WithdrawUndo, recorder: RunRecorder) -> tuple[Fact, ...]:
    request = undo_request(recorder.state, effect.story)
    return await _taken_back(recorder, request.key, request.number)


async def _taken_back(recorder: StoryRecorder | RunRecorder, request: str, number: int) -> tuple[Fact, ...]:
    world, queue = recorder.world, recorder.state.given.landing
    await mailbox.withdraw(world.inbox, queue, request)
    await call(world, queue, f"{request}/withdrawn")
    return (story_facts.LandingWithdrawalAsked(at=world.clock.now(), number=number),)


async def take_in(recorder: QueueRecorder) -> bool:
    """Let the queue hear of what was withdrawn, unless it is about to move the branch: then that mail waits until it is
    known what has landed. Whether there was any.
    """
    if lands_now(recorder.state.chain, recorder.state.policy):
        return False
    letters = await mailbox.unread(recorder)
    if not mailbox.holds(letters, messages.WITHDRAW):
        return False
    await mailbox.take_in(recorder, letters)
    failpoints.reach("withdrawal.heard")
    return True


async def asked_for(recorder: QueueRecorder) -> None:
    """Return when something is withdrawn."""
    await mailbox.until(recorder, messages.WITHDRAW)
