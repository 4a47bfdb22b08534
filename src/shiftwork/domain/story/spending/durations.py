"""What a story's facts tell of time: how long the attempts of a step took together, and when it only waited."""

from dataclasses import replace

from shiftwork.domain.agents.rate_limit import Awaited, Waited
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState, StoryStatus
from shiftwork.domain.workflow.pipeline import Step


def timed(before: StoryState, after: StoryState, fact: Fact) -> StoryState:
    """The story after the fact, with the attempt counted that has ended by it, and the wait that it began or ended."""
    return _waiting(before, _lasting(before, after, fact), fact.at)


def _lasting(before: StoryState, after: StoryState, fact: Fact) -> StoryState:
    if before.pipeline is after.pipeline:
        return after
    under_way = {step.id for step in before.pipeline.steps if step.ended_at is None}
    pipeline = after.pipeline
    for step in after.pipeline.steps:
        if step.ended_at is None or step.id not in under_way:
            continue
        seconds = took(step, fact)
        if seconds is not None:
            pipeline = pipeline.with_step(replace(step, seconds=(step.seconds or 0.0) + seconds))
    return after if pipeline is after.pipeline else replace(after, pipeline=pipeline)


def took(step: Step, fact: Fact) -> float | None:
    """How long the attempt took that has ended with the fact. Where its worker died nobody knows: that it did was found
    out when somebody went on, which may be days later.
    """
    died = isinstance(fact, story_facts.StepInterrupted) and fact.usage is None
    return None if died or step.started_at is None else max(fact.at - step.started_at, 0.0)


def _waiting(before: StoryState, after: StoryState, at: float) -> StoryState:
    was, present = _awaited(before), _awaited(after)
    if was is present:
        return after
    waited = after.rate_limit.waited
    if was and waited:  # a clock may have been set back since
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
