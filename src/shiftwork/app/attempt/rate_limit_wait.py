"""Waits until an agent's rate limit has ended. The agent is not called meanwhile; any message wakes the story.

The wait is computed again whenever a process resumes the story: the settings may then name another profile that can
continue, or a shorter maximum wait, and the clock by which the wait was set may have been corrected.
"""

import asyncio
from typing import Final

from shiftwork import failpoints
from shiftwork.app.messaging import run_inbox
from shiftwork.app.runtime.profiles import chain
from shiftwork.app.runtime.recorder import StoryRecorder
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.recovery.rate_limits import next_chance

LOOK_SECONDS: Final = 20.0
"""After the machine has slept, the wait notices the new time within this interval."""


async def wait_until(effect: story_effects.WaitUntil, recorder: StoryRecorder) -> tuple[Fact, ...]:
    clock, inbox = recorder.context.clock, recorder.context.inbox
    unread_messages, until = await run_inbox.unread(recorder), min(effect.until, _next_chance(recorder))
    # By elapsed time, because the clock may be set back during the wait.
    longest = clock.elapsed() + recorder.context.work_policy.patience.longest_seconds
    while not unread_messages and (left := min(until - clock.now(), longest - clock.elapsed())) > 0:
        try:
            async with asyncio.timeout(min(left, LOOK_SECONDS)):
                unread_messages = await inbox.wait(recorder.stream, after=recorder.state.cursor)
        except TimeoutError:
            continue
    if unread_messages:
        await run_inbox.take_in(recorder, unread_messages)
        return ()
    failpoints.reach("wait.over")
    return (story_facts.WaitEnded(at=clock.now(), number=effect.number),)


def _next_chance(recorder: StoryRecorder) -> float:
    """The next chance for the current step, which reached the limit."""
    story, context = recorder.state, recorder.context
    step = story.pipeline.current
    return next_chance(chain(context, story, step) if step else (), story.rate_limit.limited, context.clock.now())
