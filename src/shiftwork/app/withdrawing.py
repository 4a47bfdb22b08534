"""Taking back a request to land: what a story says to its queue, and how the queue hears it while gates run."""

import asyncio
from collections.abc import Sequence
from typing import Final

from shiftwork import failpoints
from shiftwork.app import mail, messages
from shiftwork.app.pen import Pen
from shiftwork.app.turns import call
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import withdrawal_facts as t
from shiftwork.domain.model.facts import Fact
from shiftwork.domain.rules.landing import lands_now
from shiftwork.ports.store import Message

FIRST_LOOK_SECONDS: Final = 0.25


async def withdraw(effect: e.WithdrawLanding, pen: Pen) -> tuple[Fact, ...]:
    world, given = pen.world, pen.state.given
    request = f"{given.run}/{given.story.id}/{effect.number}"
    await mail.withdraw(world.inbox, given.landing, request)
    failpoints.reach("withdrawal.posted")
    await call(world, given.landing, f"{request}/withdrawn")
    return (t.LandingWithdrawalAsked(at=world.clock.now(), number=effect.number),)


async def take_in(pen: Pen) -> bool:
    """Let the queue hear of what was withdrawn, unless it is about to move the branch: then that mail waits until it is
    known what has landed. Whether there was any.
    """
    if lands_now(pen.state.chain, pen.state.policy):
        return False
    letters = await mail.unread(pen)
    if not _any(letters):
        return False
    await mail.take_in(pen, letters)
    failpoints.reach("withdrawal.heard")
    return True


async def asked_for(pen: Pen) -> None:
    """Return when something is withdrawn; the first look comes late, to cost quick gates nothing."""
    await asyncio.sleep(FIRST_LOOK_SECONDS)
    seen, found = pen.state.cursor, False
    while not found:
        arrived = await pen.world.inbox.wait(pen.stream, after=seen)
        seen, found = arrived[-1].position, _any(arrived)


def _any(letters: Sequence[Message]) -> bool:
    return any(one.body.get("type") == messages.WITHDRAW for one in letters)
