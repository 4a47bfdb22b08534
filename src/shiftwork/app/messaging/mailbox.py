"""Mail before work: nothing is begun for a story, or landed, while there is something that is not heard of."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final

from shiftwork import failpoints
from shiftwork.app.messaging import messages
from shiftwork.app.runtime.recorder import Recorder, StoryRecorder
from shiftwork.app.runtime.streams import StreamState
from shiftwork.domain.core.decision import receive
from shiftwork.domain.core.ids import Stream, in_go
from shiftwork.domain.landing.state import LandingRequest
from shiftwork.ports.store import Inbox, Message

FIRST_LOOK_SECONDS: Final = 0.25
"""The first look comes late, to cost what is quick nothing."""


async def unread[S: StreamState](recorder: Recorder[S]) -> Sequence[Message]:
    return await recorder.world.inbox.receive(recorder.stream, after=recorder.state.cursor)


async def take_in[S: StreamState](recorder: Recorder[S], mail: Sequence[Message]) -> None:
    """Record what the mail says. It has a key of its own: the effect that found it has yet to be done under its own."""
    await recorder.write(
        receive(recorder.state.cursor).key, messages.facts_of(recorder.stream, mail, recorder.world.clock.now())
    )


async def first[S: StreamState](recorder: Recorder[S], done: Callable[[], Awaitable[object]]) -> bool:
    """Take in what is unread, and tell whether there was any. But somebody may have done already what the mail is to
    come before, and have died over it: then that is to be recorded first, or nobody would know of it.
    """
    letters = await unread(recorder)
    if not letters or await done():
        return False
    await take_in(recorder, letters)
    return True


async def withdraw(inbox: Inbox, queue: Stream, request: str) -> None:
    """Tell a landing queue, once, that a request is taken back."""
    await inbox.post(queue, f"withdraw/{request}", messages.withdraw(request))
    failpoints.reach("withdrawal.posted")


async def ask_to_land(inbox: Inbox, queue: Stream, branch: str, request: LandingRequest) -> None:
    """Leave a request for its landing queue, once."""
    await inbox.post(queue, f"land/{request.key}", messages.land(branch, request))


async def has_asked(inbox: Inbox, queue: Stream, request: str) -> bool:
    """Whether that request to land was ever in the queue's inbox."""
    return await inbox.posted(queue, f"land/{request}")


async def cancel(inbox: Inbox, story: Stream, go: int) -> None:
    """Tell a story to end, once in each of its goes."""
    await inbox.post(story, in_go("cancel", go), messages.cancel())


async def until[S: StreamState](recorder: Recorder[S], kind: str) -> None:
    """Return when a message of that kind has come to the stream; nothing is taken in by that."""
    await asyncio.sleep(FIRST_LOOK_SECONDS)
    seen, found = recorder.state.cursor, False
    while not found:
        arrived = await recorder.world.inbox.wait(recorder.stream, after=seen)
        seen, found = arrived[-1].position, holds(arrived, kind)


def holds(letters: Sequence[Message], kind: str) -> bool:
    return any(one.body.get("type") == kind for one in letters)


async def unless_cancelled[T](recorder: StoryRecorder, work: Coroutine[Any, Any, T]) -> T | None:
    """What the work comes to; None where the end of the story is asked for first, which ends the work."""
    working, told = asyncio.ensure_future(work), asyncio.ensure_future(until(recorder, messages.CANCEL))
    try:
        await asyncio.wait({working, told}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else told.result()
    finally:
        working.cancel()
        told.cancel()
        await asyncio.gather(working, told, return_exceptions=True)
