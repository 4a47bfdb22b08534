"""Rate limits of agents: when a limit ends, which profile works meanwhile, and how a story waits if none can.

A waiting story keeps its place among those in progress: another story would reach the same limit, and when the limit
ends all of them would start at the same moment.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from shiftwork.domain.agents.rate_limit import Patience, Wait
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.story.transitions import turn_step_of
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.records import dataclass, replace

FIRST_SECONDS: Final = 30.0
LONGEST_GUESS_SECONDS: Final = 30 * 60.0
"""If an agent does not say when its limit ends, the wait starts at the first value and doubles up to the second."""

TIMES_GUESSED: Final = 3
"""How often a step waits for a limit that is only guessed from what a program printed."""

_SPREAD: Final = 0.1
_MOST_SPREAD_SECONDS: Final = 30.0

type Limited = tuple[tuple[str, float], ...]
"""The profiles that reached a limit, each with the time until which it must not be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """A limit that a step has reached for the `nth` time, with the seconds until its end that the agent reported.
    `again` means that the profile has reached a limit before, so that its report may be wrong.
    """

    wait_seconds: float | None
    nth: int
    again: bool = False


def met(story: StoryState, step: Step, resets_at: float | None, now: float) -> Met:
    return Met(
        wait_seconds=None if resets_at is None or resets_at <= now else resets_at - now,
        nth=step.deferrals + 1,
        again=any(agent == step.assigned_profile for agent, _ in story.rate_limit.limited),
    )


def times_in_vain(step: Step, now: float) -> int:
    """How many limits count against the patience if the step reaches a limit now. A limit before the reported end does
    not count, because it was expected.
    """
    return step.in_vain + (now >= step.promised)


def promise(limit: Met, patience: Patience, now: float) -> float:
    """Until when the step expects to reach the limit again."""
    return now + min(limit.wait_seconds or 0.0, patience.whole_seconds)


def seconds_to_wait(limit: Met, patience: Patience, name: str) -> float:
    """The time that the agent reported, if it is in the future, otherwise a time that grows with each limit. After a
    profile's first limit the growing time is the minimum, because an agent that always reports a short wait would be
    retried forever. An extra share that depends on `name` prevents all stories from retrying at once.
    """
    seconds = limit.wait_seconds or 0.0
    if limit.again or not seconds:
        seconds = max(seconds, _guess(limit.nth))
    spread = min(seconds * _SPREAD, _MOST_SPREAD_SECONDS) * _share(f"{name}/{limit.nth}")
    return min(seconds + spread, patience.longest_seconds)


def _guess(nth: int) -> float:
    return min(FIRST_SECONDS * 2.0 ** min(nth - 1, 16), LONGEST_GUESS_SECONDS)


def _share(name: str) -> float:
    """A number from 0 to 1 that depends only on the name."""
    return int.from_bytes(sha256(name.encode()).digest()[:4]) / 2**32


def limited_too(limited: Limited, agent: str, until: float) -> Limited:
    return (*(item for item in limited if item[0] != agent), (agent, until))


def profile(chain: Sequence[str], limited: Limited, now: float) -> str:
    """The profile to use: the first in the chain without a limit, otherwise the profile whose limit ends first."""
    return min(chain, key=lambda agent: max(_free_at(limited, agent), now))


def next_chance(chain: Sequence[str], limited: Limited, now: float) -> float:
    """When a profile of the chain is available; `now` if one is available already."""
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
    waiting = replace(
        step,
        deferrals=step.deferrals + 1,
        in_vain=in_vain,
        promised=fact.promised if in_vain > step.in_vain else step.promised,
        ended_at=fact.at,
    )
    turned = turn_step_of(story, waiting, Trigger.DEFER)
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
