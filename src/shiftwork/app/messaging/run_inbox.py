"""Messages before work: nothing is started for a story, or landed, while there are unread messages."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final

from shiftwork import failpoints
from shiftwork.app.folds import StreamState
from shiftwork.app.messaging import messages
from shiftwork.app.runtime.recorder import Recorder, StoryRecorder
from shiftwork.domain.core.decision import receive
from shiftwork.domain.core.effect import Receive
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream, numbered
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.state import LandingRequest
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.steering import step_edits
from shiftwork.ports.store import Inbox, Message
from shiftwork.records import replace

FIRST_LOOK_SECONDS: Final = 0.25
"""The first check is late, so that short work is not slowed down."""


async def unread[S: StreamState](recorder: Recorder[S]) -> Sequence[Message]:
    return await recorder.context.inbox.receive(recorder.stream, after=recorder.state.cursor)


async def take_in[S: StreamState](recorder: Recorder[S], outputs: Sequence[Message]) -> None:
    """Records the messages under their own key, because the effect that found them is not done yet."""
    await recorder.write(
        receive(recorder.state.cursor).key, messages.facts_of(recorder.stream, outputs, recorder.context.clock.now())
    )


async def next_messages[S: StreamState](effect: Receive, recorder: Recorder[S]) -> tuple[Fact, ...]:
    """Waits for a moment, because many answers come at once. Then the job ends, and the next message starts it."""
    context = recorder.context
    received = await context.inbox.wait(
        recorder.stream, after=effect.cursor, seconds=context.work_policy.linger_seconds
    )
    return messages.facts_of(recorder.stream, received, context.clock.now())


async def first[S: StreamState](recorder: Recorder[S], done: Callable[[], Awaitable[object]]) -> bool:
    """Records unread messages; returns whether there were any. But if a process has already done the work and died
    before recording it, that must be recorded first, because otherwise it would be lost.
    """
    unread_messages = await unread(recorder)
    if not unread_messages or await done():
        return False
    await take_in(recorder, unread_messages)
    return True


async def withdraw(inbox: Inbox, queue: Stream, request: str) -> None:
    """Withdraws a request from a landing queue, once."""
    withdrawn = landing_facts.EntryWithdrawn(at=messages.UNREAD, request=request)
    await messages.send(inbox, queue, f"withdraw/{request}", withdrawn)
    failpoints.reach("withdrawal.posted")


async def ask_to_land(inbox: Inbox, queue: Stream, branch: str, request: LandingRequest) -> None:
    """Posts a request to its landing queue, once."""
    queued = landing_facts.EntryQueued(at=messages.UNREAD, branch=branch, request=request)
    await messages.send(inbox, queue, f"land/{request.key}", queued)


async def has_asked(inbox: Inbox, queue: Stream, request: str) -> bool:
    """Whether that request to land was ever in the queue's inbox."""
    return await inbox.posted(queue, f"land/{request}")


async def cancel(inbox: Inbox, story: Stream, start_number: int) -> None:
    """Cancels a story, once for each of its starts."""
    cancelled = story_facts.StoryCancelRequested(at=messages.UNREAD)
    await messages.send(inbox, story, numbered("cancel", start_number), cancelled)


async def until[S: StreamState, F: Fact](
    recorder: Recorder[S], kind: type[F], wanted: Callable[[F], bool] = lambda _: True
) -> None:
    """Waits for a message of that kind that is `wanted`, without recording any message."""
    await asyncio.sleep(FIRST_LOOK_SECONDS)
    seen, found = recorder.state.cursor, False
    while not found:
        arrived = await recorder.context.inbox.wait(recorder.stream, after=seen)
        seen, found = arrived[-1].position, any(map(wanted, messages.of_kind(recorder.stream, arrived, kind)))


async def too_late(recorder: StoryRecorder) -> tuple[Fact, ...]:
    """The edits of people that a story has not read when it ends: each is recorded with its rejection."""
    at, arrived = recorder.context.clock.now(), await unread(recorder)
    requests = messages.of_kind(recorder.stream, arrived, story_facts.WorkflowEditRequested)
    answers = ((request, step_edits.answer(recorder.state, request.edits)) for request in requests)
    return tuple(replace(fact, at=at) for answered in answers for fact in answered)


async def unless_cancelled[T](recorder: StoryRecorder, work: Coroutine[Any, Any, T]) -> T | None:
    """Returns the result of the work; None if the story is cancelled first, which also cancels the work."""
    cancelled = until(recorder, story_facts.StoryCancelRequested)
    working, task = asyncio.ensure_future(work), asyncio.ensure_future(cancelled)
    try:
        await asyncio.wait({working, task}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else task.result()
    finally:
        working.cancel()
        task.cancel()
        await asyncio.gather(working, task, return_exceptions=True)
