"""How a story and its run speak about money and tokens: claimed and granted before an attempt, settled after it."""

from typing import Any, Final

from shiftwork.app.runtime.profiles import chain
from shiftwork.app.runtime.recorder import RunRecorder, StoryRecorder
from shiftwork.domain.budget.amounts import Reached
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId, run_stream, story_stream
from shiftwork.domain.core.plain import from_plain, to_plain
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.run.steering.intents import limits_key
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.usage.usage import Usage
from shiftwork.ports.store import Inbox

CLAIM: Final = "claim"
GRANT: Final = "grant"
SHORTAGE: Final = "shortage"
SETTLE: Final = "settle"
LIMITS: Final = "limits"


async def claim(effect: story_effects.ClaimAllowance, recorder: StoryRecorder) -> tuple[Fact, ...]:
    """An attempt is bounded where whoever may make it stops at an amount of money, and money is all that is limited."""
    world, story = recorder.world, recorder.state
    step = story.pipeline.step(effect.step)
    told = all(profile in world.conduct.thrifty for profile in chain(world, story, step))
    body = {
        "type": CLAIM,
        "story": story.given.story.id,
        "number": effect.number,
        "kind": step.plan.type,
        "bounded": told and story.spending.limits.run.tokens is None,
    }
    await _tell_run(recorder, f"claim/{effect.number}", body)
    return (story_facts.AllowanceClaimed(at=world.clock.now(), number=effect.number),)


async def settle(effect: story_effects.SettleAllowance, recorder: StoryRecorder) -> tuple[Fact, ...]:
    used = None if effect.used is None else to_plain(effect.used)
    about = {"story": recorder.state.given.story.id, "number": effect.number}
    body = {"type": SETTLE, **about, "used": used, "unused": effect.unused}
    await _tell_run(recorder, f"settle/{effect.number}", body)
    return (story_facts.AllowanceSettled(at=recorder.world.clock.now(), number=effect.number),)


async def _tell_run(recorder: StoryRecorder, key: str, body: dict[str, Any]) -> None:
    given = recorder.state.given
    await recorder.world.inbox.post(run_stream(given.run), f"{given.story.id}/{key}", body)


async def grant(effect: run_effects.GrantAllowance, recorder: RunRecorder) -> tuple[Fact, ...]:
    body = {"type": GRANT, "number": effect.number, "cap": effect.cap}
    await _tell_story(effect.story, recorder, effect.key, body)
    at = recorder.world.clock.now()
    return (run_facts.AmountReserved(at=at, story=effect.story, number=effect.number, amount=effect.amount),)


async def refuse(effect: run_effects.RefuseAllowance, recorder: RunRecorder) -> tuple[Fact, ...]:
    told = {"detail": effect.detail, "reached": to_plain(effect.reached)}
    body = {"type": SHORTAGE, "number": effect.number, **told}
    await _tell_story(effect.story, recorder, effect.key, body)
    return (run_facts.ShortageTold(at=recorder.world.clock.now(), story=effect.story, number=effect.number),)


async def forward_limits(effect: run_effects.ForwardLimits, recorder: RunRecorder) -> tuple[Fact, ...]:
    await tell_limits(recorder.world.inbox, recorder.state, effect.story)
    return (run_facts.LimitsForwarded(at=recorder.world.clock.now(), story=effect.story),)


async def tell_limits(inbox: Inbox, run: RunState, story: StoryId) -> None:
    """Tell a story under way which limits of its run hold now, once for each time that they were set."""
    body = {"type": LIMITS, "limits": to_plain(run.given.limits), "raises": run.spending.raises}
    await inbox.post(story_stream(run.given.run, story), limits_key(run, story), body)


async def _tell_story(story: StoryId, recorder: RunRecorder, key: str, body: dict[str, Any]) -> None:
    await recorder.world.inbox.post(story_stream(recorder.state.given.run, story), key, body)


# What the messages mean to their readers -------------------------------------------------------------------------


def _claimed(body: dict[str, Any], at: float) -> Fact:
    story, number = StoryId(body["story"]), body["number"]
    return run_facts.AllowanceAsked(at=at, story=story, number=number, kind=body["kind"], bounded=body["bounded"])


def _settled(body: dict[str, Any], at: float) -> Fact:
    used = from_plain(Usage | None, body["used"])
    unused = body.get("unused", False)
    return run_facts.AttemptSettled(
        at=at, story=StoryId(body["story"]), number=body["number"], used=used, unused=unused
    )


def _granted(body: dict[str, Any], at: float) -> Fact:
    return story_facts.AllowanceGranted(at=at, number=body["number"], cap=body["cap"])


def _limits_set(body: dict[str, Any], at: float) -> Fact:
    return story_facts.LimitsSet(at=at, limits=from_plain(Limits, body["limits"]), raises=body["raises"])


def _refused(body: dict[str, Any], at: float) -> Fact:
    reached = from_plain(Reached | None, body.get("reached"))
    return story_facts.AllowanceRefused(at=at, number=body["number"], detail=body["detail"], reached=reached)


RUN_READERS: Final = {CLAIM: _claimed, SETTLE: _settled}
STORY_READERS: Final = {GRANT: _granted, SHORTAGE: _refused, LIMITS: _limits_set}
