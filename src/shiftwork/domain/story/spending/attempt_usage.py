"""Adds the usage of an ended attempt to its step, story and role, and to the share of its profile and model."""

from typing import Final

from shiftwork.domain.agents.bandit import role_of
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.spending import unreserved_usage
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.usage.totals import merged, one_attempt
from shiftwork.domain.usage.usage import NOTHING_USED, Share, Usage
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.records import replace

ENDS: Final = (
    story_facts.StepCompleted,
    story_facts.StepFailed,
    story_facts.StepCancelled,
    story_facts.StepInterrupted,
    story_facts.StepYielded,
    story_facts.QuestionAsked,
    story_facts.StepDeferred,
    story_facts.StepCutShort,
    story_facts.SummaryMissed,
)
"""The facts that end an attempt."""


def counted(story: StoryState, fact: Fact) -> StoryState:
    """The story with the usage of an agent's attempt added; gates and people use nothing."""
    if not isinstance(fact, ENDS):
        return story
    step = story.pipeline.find(fact.step)
    if step is None or step.plan.kind is not StepKind.AGENT:
        return story
    used = one_attempt(fact.usage)
    paid = replace(step, usage=step.usage + used, model=used.model or step.model)
    share = Share(agent=paid.assigned_profile, model=paid.model, usage=used)
    return replace(
        story,
        pipeline=story.pipeline.with_step(paid),
        spending=replace(
            story.spending,
            usage=story.spending.usage + used,
            unreserved=unreserved_usage.counted(story, used),
            shares=merged((*story.spending.shares, share)),
            roles=_with_role(story, step, used),
        ),
    )


def _with_role(story: StoryState, step: Step, used: Usage) -> tuple[tuple[str, Usage], ...]:
    known, role = dict(story.spending.roles), role_of(step.plan.agent, story.given.agents)
    return tuple({**known, role: known.get(role, NOTHING_USED) + used}.items())
