"""Durations from a story's facts: the total time of a step's attempts, and the times when the story only waited."""

from itertools import zip_longest

from shiftwork.domain.agents.rate_limit import Awaited, Waited
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState, StoryStatus
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.records import replace


def timed(before: StoryState, after: StoryState, fact: Fact) -> StoryState:
    """The story after the fact, with the time of an attempt that it ended and the wait that it began or ended."""
    return _waiting(before, _lasting(before, after, fact), fact.at)


def _lasting(before: StoryState, after: StoryState, fact: Fact) -> StoryState:
    if before.pipeline is after.pipeline:
        return after
    pipeline = after.pipeline
    for old, step in zip_longest(before.pipeline.steps, after.pipeline.steps):
        if step is old or step is None or step.ended_at is None:
            continue
        was = before.pipeline.find(step.id)
        seconds = took(step, fact) if was is not None and was.ended_at is None else None
        if seconds is not None:
            pipeline = pipeline.with_step(replace(step, seconds=(step.seconds or 0.0) + seconds))
    return after if pipeline is after.pipeline else replace(after, pipeline=pipeline)


def took(step: Step, fact: Fact) -> float | None:
    """The duration of the attempt that the fact ended. It is unknown if the worker died, because that is discovered
    only when the run is resumed, which may be days later.
    """
    died = isinstance(fact, story_facts.StepInterrupted) and fact.usage is None
    return None if died or step.started_at is None else max(fact.at - step.started_at, 0.0)


def _waiting(before: StoryState, after: StoryState, at: float) -> StoryState:
    was, present = _awaited(before), _awaited(after)
    if was is present:
        return after
    waited = after.rate_limit.waited
    if was and waited:  # the clock may have been set back since
        waited = (*waited[:-1], replace(waited[-1], until=max(at, waited[-1].since)))
    if present:
        waited = (*waited, Waited(awaited=present, since=at))
    return replace(after, rate_limit=replace(after.rate_limit, waited=waited))


def _awaited(story: StoryState) -> Awaited | None:
    if story.status is not StoryStatus.IN_PROGRESS:
        return None
    if story.waiting.hold:
        return Awaited.PERSON
    return Awaited.LIMIT if story.rate_limit.wait else None
