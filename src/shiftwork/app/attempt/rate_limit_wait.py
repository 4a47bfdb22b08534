"""Letting time pass until an agent's limit has ended. Nobody is asked meanwhile; any word wakes the story.

How long is looked at again whenever a process takes the story up: the settings may name another profile by then that
can go on, or a shorter patience, and the clock by which the wait was set may have been put right.
"""

import asyncio
from typing import Final

from shiftwork import failpoints
from shiftwork.app.messaging import mailbox
from shiftwork.app.runtime.profiles import chain
from shiftwork.app.runtime.recorder import StoryRecorder
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.recovery.rate_limits import next_chance

LOOK_SECONDS: Final = 20.0
"""A machine that has slept finds out within this time that it is later than it thought."""


async def wait_until(effect: story_effects.WaitUntil, recorder: StoryRecorder) -> tuple[Fact, ...]:
    clock, inbox = recorder.world.clock, recorder.world.inbox
    letters, until = await mailbox.unread(recorder), min(effect.until, _next_chance(recorder))
    # Counted by a clock that nobody sets, for the other one may be set back while this lasts.
    ticking = asyncio.get_running_loop().time
    longest = ticking() + recorder.world.conduct.patience.longest_seconds
    while not letters and (left := min(until - clock.now(), longest - ticking())) > 0:
        try:
            async with asyncio.timeout(min(left, LOOK_SECONDS)):
                letters = await inbox.wait(recorder.stream, after=recorder.state.cursor)
        except TimeoutError:
            continue
    if letters:
        await mailbox.take_in(recorder, letters)
        return ()
    failpoints.reach("wait.over")
    return (story_facts.WaitEnded(at=clock.now(), number=effect.number),)


def _next_chance(recorder: StoryRecorder) -> float:
    """For the step that met the limit, which is still to be done."""
    story, world = recorder.state, recorder.world
    step = story.pipeline.current
    return next_chance(chain(world, story, step) if step else (), story.rate_limit.limited, world.clock.now())
