"""Repairs that lead nowhere: the same failure of the gates twice in a row is a plateau, and calls for somebody else."""

import hashlib
from typing import Final

from shiftwork.domain.model import facts as f
from shiftwork.domain.model.story import Failure, Refusal, StoryState
from shiftwork.domain.rules.trimming import normalised

_LINE: Final = 200


def failures_with(story: StoryState, fact: f.LandingRefused) -> tuple[Failure, ...]:
    """What the gates have said so far, in order; other refusals are not among them."""
    if fact.cause is not Refusal.GATES:
        return story.failures
    digest = hashlib.sha256(normalised(fact.detail).encode(errors="replace")).hexdigest()[:16]
    return (*story.failures, Failure(digest=digest, line=_line(fact.detail)))


def _line(detail: str) -> str:
    lines = [line.strip() for line in detail.splitlines() if line.strip()]
    return " … ".join(dict.fromkeys((*lines[:1], *lines[-1:])))[:_LINE]


def on_plateau(story: StoryState) -> bool:
    """Whether the last repair has changed nothing in what the gates say."""
    if story.refused is None or story.refused.cause is not Refusal.GATES or not story.repairs:
        return False
    last = [failure.digest for failure in story.failures[-2:]]
    return len(last) > 1 and last[0] == last[1]


def escalation(story: StoryState) -> str:
    """The profile that is to repair what the usual one could not: once, and only where the settings name one."""
    return story.given.limits.escalate if on_plateau(story) and not story.escalated else ""


def whole_story(story: StoryState) -> str:
    """That the last failure, which is told beside this, is not new, and what else the gates have said before it."""
    if not on_plateau(story):
        return ""
    others = dict.fromkeys(one.line for one in story.failures if one.digest != story.failures[-1].digest)
    by = f", also after {story.escalated} had tried" if story.escalated else ""
    before = f"; before that: {'; '.join(others)}" if others else ""
    return f" (the same failure came back{by}{before})"
