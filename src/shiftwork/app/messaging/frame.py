"""The run's own steps, before and after its stories: how they start, and the messages between them and the run."""

from shiftwork import failpoints
from shiftwork.app.messaging import messages, run_inbox
from shiftwork.app.messaging.landed_search import found_changed
from shiftwork.app.runtime.locations import place_of
from shiftwork.app.runtime.recorder import RunRecorder, StoryRecorder
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, run_stream, story_stream
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts


async def open_loop(effect: story_effects.OpenLoop, recorder: StoryRecorder) -> tuple[Fact, ...]:
    """Discards the workspace while the stories run: the next workspace starts from what they have landed."""
    story, context = recorder.state, recorder.context
    step = story.pipeline.step(effect.step)
    opened = run_facts.LoopOpened(
        at=messages.UNREAD,
        round=effect.attempt,
        stories=story.dialogue.planned,
        feedback=step.feedback,
        context=story.dialogue.context,
    )
    if story.work.workspace:
        await context.workspaces.discard(place_of(story))
    await messages.send(context.inbox, run_stream(story.given.run), f"open/{effect.attempt}", opened)
    failpoints.reach("loop.opened")
    return (story_facts.LoopBegun(at=context.clock.now(), step=effect.step, attempt=effect.attempt),)


async def close_loop(effect: run_effects.CloseLoop, recorder: RunRecorder) -> tuple[Fact, ...]:
    """Reads messages first: the user may have added a story in the meantime."""
    context = recorder.context
    stream, key = story_stream(recorder.state.given.run, FRAME), f"closed/{effect.round}"
    if await run_inbox.first(recorder, lambda: context.inbox.posted(stream, key)) or await found_changed(recorder):
        return ()
    ended = story_facts.LoopEnded(
        at=messages.UNREAD,
        round=effect.round,
        landed=effect.landed,
        failed=effect.failed,
        context=effect.context,
    )
    await messages.send(context.inbox, stream, key, ended)
    failpoints.reach("loop.closed")
    return (run_facts.LoopClosed(at=context.clock.now(), round=effect.round),)
