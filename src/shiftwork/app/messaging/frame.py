"""The run's own steps, before and after its stories: how they are begun, and how they and the run tell each other."""

from shiftwork import failpoints
from shiftwork.app.messaging import mailbox, messages
from shiftwork.app.runtime.locations import place_of
from shiftwork.app.runtime.recorder import RunRecorder, StoryRecorder
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, run_stream, story_stream
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts


async def open_loop(effect: story_effects.OpenLoop, recorder: StoryRecorder) -> tuple[Fact, ...]:
    """Nobody works here while the stories do: the next workspace starts from what they have landed."""
    story, world = recorder.state, recorder.world
    step = story.pipeline.step(effect.step)
    body = messages.open_loop(effect.attempt, story.dialogue.planned, step.feedback, story.dialogue.context)
    if story.work.workspace:
        await world.workspaces.discard(place_of(story))
    await world.inbox.post(run_stream(story.given.run), f"open/{effect.attempt}", body)
    failpoints.reach("loop.opened")
    return (story_facts.LoopBegun(at=world.clock.now(), step=effect.step, attempt=effect.attempt),)


async def close_loop(effect: run_effects.CloseLoop, recorder: RunRecorder) -> tuple[Fact, ...]:
    """Somebody may have added a story in the meantime."""
    world = recorder.world
    stream, key = story_stream(recorder.state.given.run, FRAME), f"closed/{effect.round}"
    if await mailbox.first(recorder, lambda: world.inbox.posted(stream, key)):
        return ()
    await world.inbox.post(stream, key, messages.loop_closed(effect))
    failpoints.reach("loop.closed")
    return (run_facts.LoopClosed(at=world.clock.now(), round=effect.round),)
