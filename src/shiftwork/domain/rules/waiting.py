"""Limits of agents: when one is taken to end, who plays meanwhile, and how a story waits where nobody can.

A story that waits keeps its place among those in progress: whoever else began would run into the same limit, and once
it ended all of them would be at work at the same moment.
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import waiting_facts as w
from shiftwork.domain.model.story import StoryState
from shiftwork.domain.model.waiting import Patience, Wait
from shiftwork.domain.rules.machine import Trigger, turn_step

FIRST_SECONDS: Final = 30.0
LONGEST_GUESS_SECONDS: Final = 30 * 60.0
"""Where an agent does not say when its limit ends, it is asked again after the first, then twice that, up to this."""

_SPREAD: Final = 0.1
_MOST_SPREAD_SECONDS: Final = 30.0

type Limited = tuple[tuple[str, float], ...]
"""Until when each profile that ran into a limit is not to be asked."""


def seconds_to_wait(told: float | None, nth: int, patience: Patience, name: str) -> float:
    """For the end of a limit that a step has run into for the nth time: as long as the agent has `told`, if that lies
    ahead, else longer each time. A share of it comes on top that differs by `name`, so that not all ask again at once.
    """
    seconds = told if told is not None and told > 0 else _guess(nth)
    spread = min(seconds * _SPREAD, _MOST_SPREAD_SECONDS) * _share(f"{name}/{nth}")
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


def wait_for_reset(story: StoryState) -> tuple[e.WaitUntil, ...]:
    if story.wait is None:
        return ()
    number = story.deferrals
    return (e.WaitUntil(key=f"wait/{number}", until=story.wait.until, number=number),)


def deferred(story: StoryState, fact: w.StepDeferred) -> StoryState | None:
    step = story.pipeline.find(fact.step)
    if step is None or step.attempts != fact.attempt:
        return None
    turned = turn_step(step, Trigger.DEFER, deferrals=step.deferrals + 1, ended_at=fact.at)
    if turned is None:
        return None
    return replace(
        story,
        pipeline=story.pipeline.with_step(turned),
        deferrals=story.deferrals + 1,
        limited=limited_too(story.limited, fact.agent, fact.resets_at),
        wait=Wait(until=fact.until, reason=fact.reason) if fact.until > fact.at else None,
    )


def wait_ended(story: StoryState, fact: w.WaitEnded) -> StoryState | None:
    return replace(story, wait=None) if story.wait and fact.number == story.deferrals else None
