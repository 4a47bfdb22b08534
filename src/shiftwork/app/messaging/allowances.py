"""Messages about cost and tokens: a story claims an allowance before an attempt and settles it after."""

from shiftwork.app.messaging import messages
from shiftwork.app.runtime.profiles import chain
from shiftwork.app.runtime.recorder import RunRecorder, StoryRecorder
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId, run_stream, story_stream
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.run.steering.intents import limits_key
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.ports.store import Inbox


async def claim(effect: story_effects.ClaimAllowance, recorder: StoryRecorder) -> tuple[Fact, ...]:
    """An attempt is bounded if only cost is limited and all its possible profiles can stop at a cost limit."""
    context, story = recorder.context, recorder.state
    step = story.pipeline.step(effect.step)
    thrifty = all(profile in context.work_policy.thrifty for profile in chain(context, story, step))
    asked = run_facts.AllowanceAsked(
        at=messages.UNREAD,
        story=story.given.story.id,
        number=effect.number,
        kind=step.plan.type,
        bounded=thrifty and story.spending.limits.run.tokens is None,
    )
    await _send_run(recorder, f"claim/{effect.number}", asked)
    return (story_facts.AllowanceClaimed(at=context.clock.now(), number=effect.number),)


async def settle(effect: story_effects.SettleAllowance, recorder: StoryRecorder) -> tuple[Fact, ...]:
    settled = run_facts.AttemptSettled(
        at=messages.UNREAD,
        story=recorder.state.given.story.id,
        number=effect.number,
        used=effect.used,
        unused=effect.unused,
    )
    await _send_run(recorder, f"settle/{effect.number}", settled)
    return (story_facts.AllowanceSettled(at=recorder.context.clock.now(), number=effect.number),)


async def _send_run(recorder: StoryRecorder, key: str, fact: Fact) -> None:
    given = recorder.state.given
    await messages.send(recorder.context.inbox, run_stream(given.run), f"{given.story.id}/{key}", fact)


async def grant(effect: run_effects.GrantAllowance, recorder: RunRecorder) -> tuple[Fact, ...]:
    granted = story_facts.AllowanceGranted(at=messages.UNREAD, number=effect.number, cap=effect.cap)
    await _send_story(effect.story, recorder, effect.key, granted)
    at = recorder.context.clock.now()
    return (run_facts.AmountReserved(at=at, story=effect.story, number=effect.number, amount=effect.amount),)


async def refuse(effect: run_effects.RefuseAllowance, recorder: RunRecorder) -> tuple[Fact, ...]:
    refused = story_facts.AllowanceRefused(
        at=messages.UNREAD, number=effect.number, detail=effect.detail, reached=effect.reached
    )
    await _send_story(effect.story, recorder, effect.key, refused)
    return (run_facts.ShortageReported(at=recorder.context.clock.now(), story=effect.story, number=effect.number),)


async def forward_limits(effect: run_effects.ForwardLimits, recorder: RunRecorder) -> tuple[Fact, ...]:
    await report_limits(recorder.context.inbox, recorder.state, effect.story)
    return (run_facts.LimitsForwarded(at=recorder.context.clock.now(), story=effect.story),)


async def report_limits(inbox: Inbox, run: RunState, story: StoryId) -> None:
    """Sends the current limits of the run, and its left out gates, to a story in progress, once for each change."""
    plan = run.given
    limits = story_facts.LimitsSet(
        at=messages.UNREAD, limits=plan.limits, raises=run.spending.raises, without_gates=plan.without_gates
    )
    await messages.send(inbox, story_stream(run.given.run, story), limits_key(run, story), limits)


async def _send_story(story: StoryId, recorder: RunRecorder, key: str, fact: Fact) -> None:
    await messages.send(recorder.context.inbox, story_stream(recorder.state.given.run, story), key, fact)
