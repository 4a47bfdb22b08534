"""Sends notifications to people. The work continues even if a channel fails."""

import asyncio
from typing import Final

from shiftwork import failpoints
from shiftwork.app.messaging import run_inbox
from shiftwork.app.messaging.landed_search import found_changed
from shiftwork.app.runtime import state_labels
from shiftwork.app.runtime.context import Context
from shiftwork.app.runtime.recorder import RunRecorder, StoryRecorder
from shiftwork.app.runtime.state_labels import APPROVALS
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.notices import effects as notices_effects
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.proof.proof_words import counted
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import Hold, HoldCause, StoryState, StoryStatus
from shiftwork.errors import NotifyError
from shiftwork.ports.notify import Notice, Notifier

SEND_SECONDS: Final = 15.0
_PAUSES: Final = (0.0, 0.5, 2.0)
"""Seconds before each try, so that a failed receiver can recover."""
_NAMED: Final = 5


async def notify_of_story(effect: notices_effects.Notify, recorder: StoryRecorder) -> tuple[Fact, ...]:
    """Sends nothing if there are unread messages: a person may have answered already."""
    await asyncio.sleep(_PAUSES[effect.nth - 1])
    if unread_messages := await run_inbox.unread(recorder):
        await run_inbox.take_in(recorder, unread_messages)
        return ()
    return await _notified(effect, recorder.context, _of_story(effect, recorder.state, recorder.context.clock.now()))


async def notify_of_run(effect: notices_effects.Notify, recorder: RunRecorder) -> tuple[Fact, ...]:
    await asyncio.sleep(_PAUSES[effect.nth - 1])
    if await found_changed(recorder):
        return ()
    return await _notified(effect, recorder.context, _of_run(effect, recorder.state, recorder.context.clock.now()))


async def _notified(effect: notices_effects.Notify, context: Context, about: Notice) -> tuple[Fact, ...]:
    """Sends at least once: after a crash before the fact is recorded, sends again under the same key."""
    answers = await asyncio.gather(*(_sent(context.notifiers.get(name), about) for name in effect.channels))
    failpoints.reach("notice.sent")
    values = dict(zip(effect.channels, answers, strict=True))
    return (
        NoticeTried(
            at=context.clock.now(),
            number=effect.number,
            occasion=effect.occasion,
            reached=tuple(name for name, trouble in values.items() if not trouble),
            missed=tuple((name, trouble) for name, trouble in values.items() if trouble),
        ),
    )


async def _sent(notifier: Notifier | None, notice: Notice) -> str:
    """Returns why the channel failed; empty on success."""
    if notifier is None:
        return "the settings no longer have this channel"
    try:
        async with asyncio.timeout(SEND_SECONDS):
            await notifier.send(notice)
    except NotifyError as error:
        return error.message
    except TimeoutError:
        return f"no answer within {SEND_SECONDS:.0f} seconds"
    except Exception as error:  # noqa: BLE001 - the work continues after any error of a channel
        return type(error).__name__
    return ""


_ASKS: Final = {
    HoldCause.LIMIT: "has reached its limit",
    HoldCause.APPROVAL: "needs your approval",
    HoldCause.CHANGED: "has changed since you approved it",
    HoldCause.EXHAUSTED: "has no tries left",
    HoldCause.QUESTION: "has a question",
    HoldCause.DEPENDENCIES: "changes its dependencies",
    HoldCause.MESSAGE: "needs a commit message",
}

_ANSWERED: Final = Hold(cause=HoldCause.QUESTION, detail="")


def _of_story(effect: notices_effects.Notify, story: StoryState, at: float) -> Notice:
    given, hold = story.given, story.waiting.hold or _ANSWERED
    name = given.story.id
    look = f"diff {name} --run {given.run}" if hold.cause in APPROVALS else f"status {given.run}"
    options = "".join(f"\n[{number}] {option}" for number, option in enumerate(hold.options, start=1))
    return Notice(
        key=f"{given.run}/{name}/{effect.number}",
        at=at,
        occasion=effect.occasion,
        run=given.run,
        story=name,
        title=f"{name} {given.story.title}: {_ASKS.get(hold.cause, 'needs your answer')}",
        text=f"{hold.detail}{options}\nnext: shiftwork {look}",
        url=given.notices.url,
    )


def _of_run(effect: notices_effects.Notify, run: RunState, at: float) -> Notice:
    failed = [story for story, known in run.stories.items() if known.status is StoryStatus.FAILED]
    more = f" and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
    named = f"; failed: {', '.join(failed[:_NAMED])}{more}" if failed else ""
    plan, proved = run.given, counted(known.proof for known in run.stories.values())
    without = f", {state_labels.without(plan.without_gates)}" if plan.without_gates else ""
    return Notice(
        key=f"{plan.run}/{effect.number}",
        at=at,
        occasion=effect.occasion,
        run=plan.run,
        story="",
        title=f"{plan.spec.title}: {effect.occasion}",
        text=f"{run.totals.completed} of {len(run.stories)} stories landed on {plan.branch}"
        f"{f' ({proved})' if proved else ''}{without}{named}\n"
        f"next: shiftwork status {plan.run}",
        url=plan.notices.url,
    )
