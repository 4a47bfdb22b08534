"""What the end of an attempt adds to its step, its story, its role and the share of whoever made it."""

from dataclasses import replace
from typing import Final

from shiftwork.domain.model import budget_facts as b
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import waiting_facts as w
from shiftwork.domain.model.pipeline import Step
from shiftwork.domain.model.story import StoryState
from shiftwork.domain.model.usage import NOTHING_USED, Share, Usage
from shiftwork.domain.model.workflow import StepKind
from shiftwork.domain.rules import booking
from shiftwork.domain.rules.choosing import role_of
from shiftwork.domain.rules.spending import merged, one_attempt

ENDS: Final = (
    f.StepCompleted,
    f.StepFailed,
    f.StepCancelled,
    f.StepInterrupted,
    f.StepYielded,
    f.QuestionAsked,
    w.StepDeferred,
    b.StepCutShort,
)
"""The facts with which an attempt ends, however it does."""


def counted(story: StoryState, fact: f.Fact) -> StoryState:
    """The story with what an attempt of an agent has come to; gates and people use nothing."""
    if not isinstance(fact, ENDS):
        return story
    step = story.pipeline.find(fact.step)
    if step is None or step.kind is not StepKind.AGENT:
        return story
    used = one_attempt(fact.usage)
    paid = replace(step, usage=step.usage + used, model=used.model or step.model)
    share = Share(agent=paid.played_by, model=paid.model, usage=used)
    return replace(
        story,
        pipeline=story.pipeline.with_step(paid),
        usage=story.usage + used,
        unbooked=booking.counted(story, used),
        shares=merged((*story.shares, share)),
        roles=_with_role(story, step, used),
    )


def _with_role(story: StoryState, step: Step, used: Usage) -> tuple[tuple[str, Usage], ...]:
    known, role = dict(story.roles), role_of(step.agent, story.given.agents)
    return tuple({**known, role: known.get(role, NOTHING_USED) + used}.items())
