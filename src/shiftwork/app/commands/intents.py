"""Requests from people to a run: checked, posted to its inbox, and followed until the run has received them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from shiftwork.app.commands.runs import forecast
from shiftwork.app.folds import RUN, STORY, load
from shiftwork.app.messaging.checked_post import Checked, post_checked
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId, run_stream, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import rests
from shiftwork.domain.run.frame import in_progress
from shiftwork.domain.run.state import RUN_ENDED, RunState
from shiftwork.domain.run.steering.intent_checks import Objection, objection
from shiftwork.domain.story.state import HoldCause, StoryStatus
from shiftwork.errors import IntentError
from shiftwork.ports.store import History, MessageBox
from shiftwork.records import dataclass, replace

LOOK_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A request in the inbox of a run. `before` is the run without it, with all earlier requests applied; `version` is
    that of the run's history before it.
    """

    intent: Fact
    before: RunState
    version: int


async def ask(events: History, inbox: MessageBox, run: RunId, intent: Fact, key: str) -> int:
    """Posts the intent to the run; returns the version of its history before that, for `received`.

    Raises IntentError if the run, after all earlier requests, cannot use it.
    """
    return (await ask_for(events, inbox, run, lambda _: intent, key)).version


async def ask_for(events: History, inbox: MessageBox, run: RunId, wanted: Callable[[RunState], Fact], key: str) -> Sent:
    """Posts the intent that is made from the run as it will be after all earlier requests, once for each key.

    `wanted` is called again if another message arrives first. Raises IntentError if the run cannot use the intent.
    """

    async def check() -> Checked[Sent]:
        before = await forecast(events, inbox, run)
        intent = wanted(before)
        if why := objection(before, intent):
            raise IntentError(why.reason, hint=why.hint)
        sent = Sent(intent=intent, before=before, version=await events.version(run_stream(run)))
        return Checked(key=f"intent/{key}", fact=intent, upto=before.cursor, found=sent)

    checked, stored = await post_checked(inbox, run_stream(run), check)
    return replace(checked.found, intent=stored)


def cancellation(run: RunState, story: StoryId) -> Fact:
    """What ends a story: one that has failed already is dismissed."""
    known = run.stories.get(story)
    if known is not None and known.status is StoryStatus.FAILED:
        return run_facts.StoryDismissalRequested(at=0, story=story)
    return run_facts.StoryCancellationRequested(at=0, story=story)


async def unpause(events: History, inbox: MessageBox, run: RunId, key: str) -> None:
    """Unpauses a run that is paused or has a request to pause; somebody else may do so at the same time."""

    async def is_paused() -> bool:
        return (await forecast(events, inbox, run)).requests.paused

    if await is_paused():
        try:
            await ask(events, inbox, run, run_facts.RunUnpaused(at=0), key)
        except IntentError:
            if await is_paused():
                raise


async def is_over(events: History, inbox: MessageBox, run: RunId, options: run_facts.OptionsChanged) -> bool:
    """Whether the run has ended, and neither an unread message nor these new options give it more work."""
    return RUN.evolve(await forecast(events, inbox, run), options).status in RUN_ENDED


async def at_rest(events: History, inbox: MessageBox, run: RunId) -> bool:
    """Whether the run only waits for people: every message was received and handled."""
    state = await load(events, RUN, run_stream(run))
    streams = {story: story_stream(run, story) for story in in_progress(state)}
    stories = {story: await load(events, STORY, stream) for story, stream in streams.items()}
    cursors = {run_stream(run): state.cursor, **{streams[story]: known.cursor for story, known in stories.items()}}
    if any([await inbox.receive(stream, after=cursor) for stream, cursor in cursors.items()]):
        return False
    waiting = {
        story
        for story, known in stories.items()
        if known.waiting.hold and known.waiting.hold.cause is not HoldCause.LIMIT
    }
    return rests(state, waiting)


async def received(events: History, run: RunId, intent: Fact, after: int, seconds: float) -> bool:
    """Waits until the run has received the intent; returns False if that takes longer than `seconds`.

    Raises IntentError if the run could no longer use it by then.
    """
    found = await patiently(lambda: _found(events, run, intent, after), seconds)
    if found is None:
        return False
    if why := found[0]:
        raise IntentError(f"this request came too late: {why.reason}", hint=why.hint)
    return True


async def _found(events: History, run: RunId, intent: Fact, after: int) -> tuple[Objection | None] | None:
    """Returns the run's objection when it received the intent; None if it has not received it yet."""
    stream = run_stream(run)
    state = await load(events, RUN, stream, after)
    for recorded in await events.read(stream, after=after):
        if replace(recorded.fact, at=intent.at) == intent:
            return (objection(state, intent),)
        state = RUN.evolve(state, recorded.fact)
    return None


async def undo_came_to(
    events: History, run: RunId, story: StoryId, after: int, seconds: float
) -> run_facts.StoryUndone | run_facts.UndoRefused | None:
    """Waits for the result of an undo requested after that version; returns None if that takes longer."""

    async def fate() -> run_facts.StoryUndone | run_facts.UndoRefused | None:
        facts = [recorded.fact for recorded in await events.read(run_stream(run), after=after)]
        ends = (
            fact
            for fact in facts
            if isinstance(fact, run_facts.StoryUndone | run_facts.UndoRefused) and fact.story == story
        )
        return next(ends, None)

    return await patiently(fate, seconds)


async def patiently[T](look: Callable[[], Awaitable[T | None]], seconds: float) -> T | None:
    """Polls until `look` finds something or the time is over: another process writes it."""
    over = asyncio.ensure_future(asyncio.sleep(seconds))
    try:
        while (found := await look()) is None and not over.done():
            await asyncio.wait({over}, timeout=LOOK_SECONDS)
    finally:
        over.cancel()
    return found
