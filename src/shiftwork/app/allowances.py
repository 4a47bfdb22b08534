"""How a story and its run speak about money and tokens: claimed and granted before an attempt, settled after it."""

from typing import Any, Final

from shiftwork.app.casting import chain
from shiftwork.app.pen import Pen
from shiftwork.domain.model import budget_facts as b
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.budget import Reached
from shiftwork.domain.model.codec import from_plain, to_plain
from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.ids import StoryId, run_stream, story_stream
from shiftwork.domain.model.run import RunState
from shiftwork.domain.model.story import Limits
from shiftwork.domain.model.usage import Usage
from shiftwork.domain.rules.steering import limits_key
from shiftwork.ports.store import Inbox

CLAIM: Final = "claim"
GRANT: Final = "grant"
SHORTAGE: Final = "shortage"
SETTLE: Final = "settle"
LIMITS: Final = "limits"


async def claim(effect: e.ClaimAllowance, pen: Pen) -> tuple[Fact, ...]:
    """An attempt is bounded where whoever may make it stops at an amount of money, and money is all that is limited."""
    world, story = pen.world, pen.state
    step = story.pipeline.find(effect.step)
    told = all(profile in world.conduct.thrifty for profile in chain(world, story, step))
    body = {
        "type": CLAIM,
        "story": story.given.story.id,
        "number": effect.number,
        "kind": step.type,
        "bounded": told and story.limits.run.tokens is None,
    }
    await _tell_run(pen, f"claim/{effect.number}", body)
    return (b.AllowanceClaimed(at=world.clock.now(), number=effect.number),)


async def settle(effect: e.SettleAllowance, pen: Pen) -> tuple[Fact, ...]:
    used = None if effect.used is None else to_plain(effect.used)
    about = {"story": pen.state.given.story.id, "number": effect.number}
    body = {"type": SETTLE, **about, "used": used, "unused": effect.unused}
    await _tell_run(pen, f"settle/{effect.number}", body)
    return (b.AllowanceSettled(at=pen.world.clock.now(), number=effect.number),)


async def _tell_run(pen: Pen, key: str, body: dict[str, Any]) -> None:
    given = pen.state.given
    await pen.world.inbox.post(run_stream(given.run), f"{given.story.id}/{key}", body)


async def grant(effect: e.GrantAllowance, pen: Pen) -> tuple[Fact, ...]:
    body = {"type": GRANT, "number": effect.number, "cap": effect.cap}
    await _tell_story(effect.story, pen, effect.key, body)
    at = pen.world.clock.now()
    return (r.AmountReserved(at=at, story=effect.story, number=effect.number, amount=effect.amount),)


async def refuse(effect: e.RefuseAllowance, pen: Pen) -> tuple[Fact, ...]:
    told = {"detail": effect.detail, "reached": to_plain(effect.reached)}
    body = {"type": SHORTAGE, "number": effect.number, **told}
    await _tell_story(effect.story, pen, effect.key, body)
    return (r.ShortageTold(at=pen.world.clock.now(), story=effect.story, number=effect.number),)


async def forward_limits(effect: e.ForwardLimits, pen: Pen) -> tuple[Fact, ...]:
    await tell_limits(pen.world.inbox, pen.state, effect.story)
    return (r.LimitsForwarded(at=pen.world.clock.now(), story=effect.story),)


async def tell_limits(inbox: Inbox, run: RunState, story: StoryId) -> None:
    """Tell a story under way which limits of its run hold now, once for each time that they were set."""
    body = {"type": LIMITS, "limits": to_plain(run.given.limits), "raises": run.raises}
    await inbox.post(story_stream(run.given.run, story), limits_key(run, story), body)


async def _tell_story(story: StoryId, pen: Pen, key: str, body: dict[str, Any]) -> None:
    await pen.world.inbox.post(story_stream(pen.state.given.run, story), key, body)


# What the messages mean to their readers -------------------------------------------------------------------------


def _claimed(body: dict[str, Any], at: float) -> Fact:
    story, number = StoryId(body["story"]), body["number"]
    return r.AllowanceAsked(at=at, story=story, number=number, kind=body["kind"], bounded=body["bounded"])


def _settled(body: dict[str, Any], at: float) -> Fact:
    used = from_plain(Usage | None, body["used"])
    unused = body.get("unused", False)
    return r.AttemptSettled(at=at, story=StoryId(body["story"]), number=body["number"], used=used, unused=unused)


def _granted(body: dict[str, Any], at: float) -> Fact:
    return b.AllowanceGranted(at=at, number=body["number"], cap=body["cap"])


def _limits_set(body: dict[str, Any], at: float) -> Fact:
    return b.LimitsSet(at=at, limits=from_plain(Limits, body["limits"]), raises=body["raises"])


def _refused(body: dict[str, Any], at: float) -> Fact:
    reached = from_plain(Reached | None, body.get("reached"))
    return b.AllowanceRefused(at=at, number=body["number"], detail=body["detail"], reached=reached)


RUN_READERS: Final = {CLAIM: _claimed, SETTLE: _settled}
STORY_READERS: Final = {GRANT: _granted, SHORTAGE: _refused, LIMITS: _limits_set}
