"""Taking back a request to land: what a story, or a run that undoes one, says to its queue, and how the queue hears it
while gates run.
"""

from shiftwork import failpoints
from shiftwork.app import mail, messages
from shiftwork.app.pen import Pen
from shiftwork.app.turns import call
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import withdrawal_facts as t
from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.queue import request_key
from shiftwork.domain.rules.landing import lands_now
from shiftwork.domain.rules.steering import undo_request


async def withdraw(effect: e.WithdrawLanding, pen: Pen) -> tuple[Fact, ...]:
    given = pen.state.given
    return await _taken_back(pen, request_key(given.run, given.story.id, effect.number), effect.number)


async def withdraw_undo(effect: e.WithdrawUndo, pen: Pen) -> tuple[Fact, ...]:
    request = undo_request(pen.state, effect.story)
    return await _taken_back(pen, request.key, request.number)


async def _taken_back(pen: Pen, request: str, number: int) -> tuple[Fact, ...]:
    world, queue = pen.world, pen.state.given.landing
    await mail.withdraw(world.inbox, queue, request)
    await call(world, queue, f"{request}/withdrawn")
    return (t.LandingWithdrawalAsked(at=world.clock.now(), number=number),)


async def take_in(pen: Pen) -> bool:
    """Let the queue hear of what was withdrawn, unless it is about to move the branch: then that mail waits until it is
    known what has landed. Whether there was any.
    """
    if lands_now(pen.state.chain, pen.state.policy):
        return False
    letters = await mail.unread(pen)
    if not mail.holds(letters, messages.WITHDRAW):
        return False
    await mail.take_in(pen, letters)
    failpoints.reach("withdrawal.heard")
    return True


async def asked_for(pen: Pen) -> None:
    """Return when something is withdrawn."""
    await mail.until(pen, messages.WITHDRAW)
