"""Mail before work: nothing is begun for a story while there is something that it has not heard of."""

from collections.abc import Sequence

from shiftwork.app import messages
from shiftwork.app.pen import Pen
from shiftwork.domain.rules.deciding import receive
from shiftwork.ports.store import Message


async def unread(pen: Pen) -> Sequence[Message]:
    return await pen.world.inbox.receive(pen.stream, after=pen.state.cursor)


async def take_in(pen: Pen, mail: Sequence[Message]) -> None:
    """Record what the mail says. It has a key of its own: the effect that found it has yet to be done under its own."""
    await pen.write(receive(pen.state.cursor).key, messages.facts_of(pen.stream, mail, pen.world.clock.now()))
