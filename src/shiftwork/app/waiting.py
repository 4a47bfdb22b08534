"""Letting time pass until an agent's limit has ended. Nobody is asked meanwhile; any word wakes the story."""

import asyncio
from typing import Final

from shiftwork import failpoints
from shiftwork.app import mail
from shiftwork.app.pen import Pen
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import waiting_facts as w
from shiftwork.domain.model.facts import Fact

LOOK_SECONDS: Final = 20.0
"""A machine that has slept finds out within this time that it is later than it thought."""


async def wait_until(effect: e.WaitUntil, pen: Pen) -> tuple[Fact, ...]:
    clock, inbox = pen.world.clock, pen.world.inbox
    letters = await mail.unread(pen)
    while not letters and (left := effect.until - clock.now()) > 0:
        try:
            async with asyncio.timeout(min(left, LOOK_SECONDS)):
                letters = await inbox.wait(pen.stream, after=pen.state.cursor)
        except TimeoutError:
            continue
    if letters:
        await mail.take_in(pen, letters)
        return ()
    failpoints.reach("wait.over")
    return (w.WaitEnded(at=clock.now(), number=effect.number),)
