"""Mail before work: nothing is begun for a story, or landed, while there is something that is not heard of."""

from collections.abc import Sequence

from shiftwork.app import messages
from shiftwork.app.pen import Pen
from shiftwork.domain.model.ids import Stream
from shiftwork.domain.rules.deciding import receive
from shiftwork.ports.store import Inbox, Message


async def unread(pen: Pen) -> Sequence[Message]:
    return await pen.world.inbox.receive(pen.stream, after=pen.state.cursor)


async def take_in(pen: Pen, mail: Sequence[Message]) -> None:
    """Record what the mail says. It has a key of its own: the effect that found it has yet to be done under its own."""
    await pen.write(receive(pen.state.cursor).key, messages.facts_of(pen.stream, mail, pen.world.clock.now()))


async def withdraw(inbox: Inbox, queue: Stream, request: str) -> None:
    """Tell a landing queue, once, that a request is taken back."""
    await inbox.post(queue, f"withdraw/{request}", messages.withdraw(request))
