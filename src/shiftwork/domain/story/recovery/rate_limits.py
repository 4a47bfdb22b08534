"""Limits of agents: when one is taken to end, who plays meanwhile, and how a story waits where nobody can.

A story that waits keeps its place among those in progress: whoever else began would run into the same limit, and once
it ended all of them would be at work at the same moment.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from shiftwork.domain.agents.rate_limit import Patience, Wait
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.story.transitions import turn_step_of
from shiftwork.domain.workflow.pipeline import Step

FIRST_SECONDS: Final = 30.0
LONGEST_GUESS_SECONDS: Final = 30 * 60.0
"""Where an agent does not say when its limit ends, it is asked again after the first, then twice that, up to this."""

_SPREAD: Final = 0.1
_MOST_SPREAD_SECONDS: Final = 30.0

type Limited = tuple[tuple[str, float], ...]
"""Until when each profile that ran into a limit is not to be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """A limit that a step has run into, for the `nth` time: how far ahead its end is `told` to lie, by a profile that
    has been wrong about that before where it meets one `again`.
    """

    told: float | None
    nth: int
    again: bool = False


def met(story: StoryState, step: Step, resets_at: float | None, now: float) -> Met:
    return Met(
        told=None if resets_at is None or resets_at <= now else resets_at - now,
        nth=step.deferrals + 1,
        again=any(agent == step.played_by for agent, _ in story.rate_limit.limited),
    )


def times_in_vain(step: Step, now: float) -> int:
    """How many limits count against the patience when the step meets one now: before the end that it was told, it
    only finds what it knew.
    """
    return step.in_vain + (now >= step.promised)


def promise(limit: Met, patience: Patience, now: float) -> float:
    """Until when to meet the limit again says nothing new."""
    return now + min(limit.told or 0.0, patience.whole_seconds)


def seconds_to_wait(limit: Met, patience: Patience, name: str) -> float:
    """As long as the agent has told, if that lies ahead, else longer each time; and so long at least where it is not
    the profile's first limit, for one that always tells a moment would be asked without end. A share of it comes on
    top that differs by `name`, so that not all ask again at once.
    """
    seconds = limit.told or 0.0
    if limit.again or not seconds:
        seconds = max(seconds, _guess(limit.nth))
    spread = min(seconds * _SPREAD, _MOST_SPREAD_SECONDS) * _share(f"{name}/{limit.nth}")
    return min(seconds + spread, patience.longest_seconds)


def _guess(nth: int) -> float:
    return min(FIRST_SECONDS * 2.0 ** min(nth - 1, 16), LONGEST_GUESS_SECONDS)


def _share(name: str) -> float:
    """Between nothing and all, by the name alone."""
    return int.from_bytes(sha256(name.encode()).digest()[:4]) / 2**32


def limited_too(limited: Limited, agent: str, until: float) -> Limited:
    return (*(one for one in limited if one[0] != agent), (agent, until))


def player(chain: Sequence[str], limited: Limited, now: float) -> str:
    """Who plays: the first of the chain whose limit is over; where nobody's is, who will be free first."""
    return min(chain, key=lambda agent: max(_free_at(limited, agent), now))


def next_chance(chain: Sequence[str], limited: Limited, now: float) -> float:
    """When one of the chain may be asked; now, where one may be at once."""
    return max(min(_free_at(limited, agent) for agent in chain), now)


def _free_at(limited: Limited, agent: str) -> float:
    return dict(limited).get(agent, 0.0)


# The story -----------------------------------------------------------------------------------------------------------


def wait_for_reset(story: StoryState) -> tuple[story_effects.WaitUntil, ...]:
    if story.rate_limit.wait is None:
        return ()
    number = story.rate_limit.deferrals
    return (story_effects.WaitUntil(key=f"wait/{number}", until=story.rate_limit.wait.until, number=number),)


def deferred(story: StoryState, fact: story_facts.StepDeferred) -> StoryState | None:
    step = story.pipeline.find(fact.step)
    if step is None or step.attempts != fact.attempt:
        return None
    in_vain = times_in_vain(step, fact.at)
    turned = turn_step_of(
        story,
        step,
        Trigger.DEFER,
        deferrals=step.deferrals + 1,
        in_vain=in_vain,
        promised=fact.promised if in_vain > step.in_vain else step.promised,
        ended_at=fact.at,
    )
    return turned and replace(
        turned,
        rate_limit=replace(
            turned.rate_limit,
            deferrals=story.rate_limit.deferrals + 1,
            limited=limited_too(story.rate_limit.limited, fact.agent, fact.resets_at),
            wait=Wait(until=fact.until, reason=fact.reason) if fact.until > fact.at else None,
        ),
    )


def wait_ended(story: StoryState, fact: story_facts.WaitEnded) -> StoryState | None:
    return (
        replace(story, rate_limit=replace(story.rate_limit, wait=None))
        if story.rate_limit.wait and fact.number == story.rate_limit.deferrals
        else None
    )
