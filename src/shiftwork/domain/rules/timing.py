"""What a story's facts tell of time: how long the attempts of a step took together."""

from dataclasses import replace

from shiftwork.domain.model import facts as f
from shiftwork.domain.model.pipeline import Step
from shiftwork.domain.model.story import StoryState


def timed(before: StoryState, after: StoryState, fact: f.Fact) -> StoryState:
    """The story after the fact, with the attempt counted that has ended by it."""
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


def took(step: Step, fact: f.Fact) -> float | None:
    """How long the attempt took that has ended with the fact. Where its worker died nobody knows: that it did was found
    out when somebody went on, which may be days later.
    """
    died = isinstance(fact, f.StepInterrupted) and fact.usage is None
    return None if died or step.started_at is None else max(fact.at - step.started_at, 0.0)
