"""The run's own steps, before and after its stories: how they are begun, and how they and the run tell each other."""

from shiftwork import failpoints
from shiftwork.app import mail, messages
from shiftwork.app.naming import place_of
from shiftwork.app.pen import Pen
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.ids import FRAME, run_stream, story_stream


async def open_loop(effect: e.OpenLoop, pen: Pen) -> tuple[Fact, ...]:
    """Nobody works here while the stories do: the next workspace starts from what they have landed."""
    story, world = pen.state, pen.world
    step = story.pipeline.find(effect.step)
    body = messages.open_loop(effect.attempt, story.planned, step.feedback, story.context)
    if story.workspace:
        await world.workspaces.discard(place_of(story))
    await world.inbox.post(run_stream(story.given.run), f"open/{effect.attempt}", body)
    failpoints.reach("loop.opened")
    return (f.LoopBegun(at=world.clock.now(), step=effect.step, attempt=effect.attempt),)


async def close_loop(effect: e.CloseLoop, pen: Pen) -> tuple[Fact, ...]:
    """Somebody may have added a story in the meantime."""
    world = pen.world
    stream, key = story_stream(pen.state.given.run, FRAME), f"closed/{effect.round}"
    if await mail.first(pen, lambda: world.inbox.posted(stream, key)):
        return ()
    await world.inbox.post(stream, key, messages.loop_closed(effect))
    failpoints.reach("loop.closed")
    return (r.LoopClosed(at=world.clock.now(), round=effect.round),)
