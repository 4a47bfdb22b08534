"""The limits of a story and its steps, and the allowance that the run grants for each attempt.

A story asks for an allowance only if the run has a limit: each attempt then needs two more messages.
"""

from typing import Final

from shiftwork.domain.budget import reservations
from shiftwork.domain.budget.amounts import Allowance, Budget, Reached, Whose
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.decision import Effects, receive
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.handlers import Handlers, handlers, on
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.spending import unreserved_usage
from shiftwork.domain.story.state import Hold, HoldCause, StoryState
from shiftwork.domain.story.transitions import turn_step_of
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import Step, StepStatus
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.records import replace


def limit_reached(story: StoryState, step: Step) -> Hold | None:
    """The hold shown to a person if the story or its step has reached its limit; otherwise None. A limit on sessions
    only stops steps that need one.
    """
    limits = story.spending.limits
    met = reservations.exhausted(limits.story, story.spending.usage)
    if met.is_metered or (met.is_set and step.plan.kind is StepKind.AGENT):
        return _spent("the story", Whose.STORY, met, story.spending.usage)
    if (met := reservations.exhausted(limits.step, step.usage)).is_set:
        return _spent(f"{step.id} {step.plan.name}", Whose.STEP, met, step.usage)
    return None


def _spent(who: str, whose: Whose, met: Budget, used: Usage) -> Hold:
    return Hold(
        cause=HoldCause.LIMIT,
        detail=f"{who} has spent {reservations.spent_of(met, used)}",
        reached=Reached(whose=whose, limit=met, spent=reservations.of_limited(met, reservations.used_by(used))),
    )


def claim(story: StoryState, step: Step) -> e.Effect | None:
    """Before an attempt in a run with a limit: claims an allowance, or waits for the answer; None once reserved."""
    if step.plan.kind is not StepKind.AGENT or not story.spending.limits.run.is_set or story.spending.allowance:
        return None
    if story.spending.claiming:
        return receive(story.cursor)
    number = story.spending.claims + 1
    return story_effects.ClaimAllowance(key=f"claim/{number}", number=number, step=step.id)


def settle(story: StoryState) -> Effects:
    """Reports to the run what was used before the story does anything else. A story that waits for a person, or is
    paused, returns an unused allowance, because other stories would wait for it without a visible reason.
    """
    held, step = story.spending.allowance, story.pipeline.current
    if held is None:
        return unreserved_usage.owed(story)
    unused = not held.begun
    in_progress = step is not None and step.status is StepStatus.IN_PROGRESS
    if in_progress or (unused and not (story.waiting.hold or story.control.paused)):
        return ()
    return (
        story_effects.SettleAllowance(key=f"settle/{held.number}", number=held.number, used=held.used, unused=unused),
    )


def cap(story: StoryState, step: Step) -> float | None:
    """The amount in USD at which the agent must stop: the smallest of the remaining amounts."""
    limits = story.spending.limits
    rests = (
        None if limits.story.usd is None else limits.story.usd - (story.spending.usage.cost_usd or 0.0),
        None if limits.step.usd is None else limits.step.usd - (step.usage.cost_usd or 0.0),
        story.spending.allowance.cap if story.spending.allowance else None,
    )
    return min((rest for rest in rests if rest is not None), default=None)


def charged(story: StoryState, fact: Fact) -> StoryState:
    """Updates the allowance from a fact about the attempt that it is reserved for."""
    held = story.spending.allowance
    if held is None or not hasattr(fact, "attempt"):
        return story
    if isinstance(fact, story_facts.StepStarted):
        step = story.pipeline.find(fact.step)
        return replace(
            story,
            spending=replace(
                story.spending, allowance=replace(held, begun=step is not None and step.plan.kind is StepKind.AGENT)
            ),
        )
    used = getattr(fact, "usage", None)
    return (
        story if used is None else replace(story, spending=replace(story.spending, allowance=replace(held, used=used)))
    )


def claimed(story: StoryState, fact: story_facts.AllowanceClaimed) -> StoryState | None:
    if fact.number != story.spending.claims + 1 or story.spending.claiming or story.spending.allowance:
        return None
    return replace(story, spending=replace(story.spending, claims=fact.number, claiming=True))


def granted(story: StoryState, fact: story_facts.AllowanceGranted) -> StoryState | None:
    """Also ends a wait for a higher limit of the run."""
    if not story.spending.claiming or fact.number != story.spending.claims:
        return None
    allowance = Allowance(number=fact.number, cap=fact.cap)
    return replace(
        story,
        spending=replace(story.spending, claiming=False, allowance=allowance),
        waiting=replace(story.waiting, hold=None if _at_limit(story) else story.waiting.hold),
    )


def refused(story: StoryState, fact: story_facts.AllowanceRefused) -> StoryState | None:
    """A second refusal continues the same wait, with a new text for the person."""
    if (
        not story.spending.claiming
        or fact.number != story.spending.claims
        or (story.waiting.hold and not _at_limit(story))
    ):
        return None
    hold = Hold(cause=HoldCause.LIMIT, detail=fact.detail, reached=fact.reached)
    return replace(
        story,
        waiting=replace(
            story.waiting, hold=hold, holds=story.waiting.holds if story.waiting.hold else story.waiting.holds + 1
        ),
    )


def _at_limit(story: StoryState) -> bool:
    return story.waiting.hold is not None and story.waiting.hold.cause is HoldCause.LIMIT


def limits_set(story: StoryState, fact: story_facts.LimitsSet) -> StoryState | None:
    """A story that has claimed an allowance still waits for the run's answer. A wait at the story's own limit ends if
    the limit is no longer reached. `resume` sends new limits to the stories before the run processes them, so an older
    message from the run may arrive later; it is ignored.
    """
    if fact.raises < story.spending.raises:
        return None
    given = story.assignment
    if given and fact.without_gates is not None:
        given = replace(given, without_gates=fact.without_gates)
    spending = replace(story.spending, limits=story.spending.limits.raised(fact.limits), raises=fact.raises)
    return reconsidered(replace(story, assignment=given, spending=spending))


def reconsidered(story: StoryState) -> StoryState:
    """Ends a wait at the limit of the story or of a step if the limit, or the next step, is another now."""
    if story.spending.claiming or not _at_limit(story):
        return story
    step = story.pipeline.current
    return replace(story, waiting=replace(story.waiting, hold=limit_reached(story, step) if step else None))


def settled(story: StoryState, fact: story_facts.AllowanceSettled) -> StoryState | None:
    if fact.number == unreserved_usage.UNCLAIMED:
        return replace(story, spending=replace(story.spending, unreserved=None))
    if story.spending.allowance is None or story.spending.allowance.number != fact.number:
        return None
    return replace(story, spending=replace(story.spending, allowance=None))


def cut_short(story: StoryState, fact: story_facts.StepCutShort) -> StoryState | None:
    step = story.pipeline.find(fact.step)
    if step is None or step.attempts != fact.attempt:
        return None
    turned = turn_step_of(story, replace(step, ended_at=fact.at), Trigger.DEFER)
    return turned and replace(turned, dialogue=replace(turned.dialogue, delivered=0))


STORY_HANDLERS: Final[Handlers[StoryState, StoryState | None]] = handlers(
    on(story_facts.AllowanceClaimed, claimed),
    on(story_facts.AllowanceGranted, granted),
    on(story_facts.AllowanceRefused, refused),
    on(story_facts.AllowanceSettled, settled),
    on(story_facts.LimitsSet, limits_set),
    on(story_facts.StepCutShort, cut_short),
)
