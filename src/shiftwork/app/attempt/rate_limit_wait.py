"""Waits until an agent's rate limit has ended. The agent is not called meanwhile, and the story has no job: a message
or the end of the wait starts it.

The wait is computed again whenever a process resumes the story: the settings may then name another profile that can
continue, or a shorter maximum wait, and the clock by which the wait was set may have been corrected.
"""

from shiftwork import failpoints
from shiftwork.app.messaging import run_inbox
from shiftwork.app.runtime.context import job_of
from shiftwork.app.runtime.profiles import chain
from shiftwork.app.runtime.recorder import StoryRecorder
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.recovery.rate_limits import next_chance


async def wait_until(effect: story_effects.WaitUntil, recorder: StoryRecorder) -> tuple[Fact, ...]:
    context, clock = recorder.context, recorder.context.clock
    if unread_messages := await run_inbox.unread(recorder):
        await run_inbox.take_in(recorder, unread_messages)
        return ()
    # By elapsed time, because the clock may be set back during the wait.
    longest = clock.elapsed() + min(context.work_policy.patience.longest_seconds, effect.until - clock.now())
    longest = context.longest_waits.setdefault((recorder.stream, effect.number), longest)
    left = min(effect.until - clock.now(), _next_chance(recorder) - clock.now(), longest - clock.elapsed())
    if left > 0:
        await context.engine.start_later(job_of(recorder.stream), left)
        return ()
    del context.longest_waits[recorder.stream, effect.number]
    failpoints.reach("wait.over")
    return (story_facts.WaitEnded(at=clock.now(), number=effect.number),)


def _next_chance(recorder: StoryRecorder) -> float:
    """The next chance for the current step, which reached the limit."""
    story, context = recorder.state, recorder.context
    step = story.pipeline.current
    return next_chance(chain(context, story, step) if step else (), story.rate_limit.limited, context.clock.now())
