"""Where a decision leads. Order is position: a route forward passes over what lies between, a route back undoes it.

Routes lead to ids, so that edits do not break them: a step that is split hands them to the first of those that replace
it, none may be moved to the other side of a step that leads to it, and what decides is neither split nor skipped. A
route on to a step that was skipped leads to the next after it; a route back to one runs it after all.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.decision import NOW
from shiftwork.domain.core.ids import StepId
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.text.excerpt import fingerprint
from shiftwork.domain.workflow.pipeline import Pipeline, Step, StepStatus
from shiftwork.domain.workflow.template_values import Context, without
from shiftwork.domain.workflow.transitions import turn_step
from shiftwork.domain.workflow.workflow import Route, StepKind

DONE: Final = "done"
RETRY: Final = "retry"
PASSED: Final = "passed"
FAILED: Final = "failed"
APPROVED: Final = "approved"
REJECTED: Final = "rejected"

STATUS: Final = "status"
_MARKS: Final = " \t`*_.,;:!\"'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """Why an answer decides nothing, as the agent is told it before it tries again."""

    reason: str


def route_for(step: Step, value: str) -> Route | None:
    wanted = _plain(value)
    return next((route for route in step.plan.routes if wanted and _plain(route.value) == wanted), None)


def decision_of(step: Step, outputs: Context) -> str | Undecided:
    """What an agent's answer decides; empty where the step decides nothing.

    `STATUS: retry` is a decision of its own where there is a route for it, whatever the step decides by.
    """
    given = dict(outputs)
    if _plain(given.get(STATUS, "")) == RETRY and route_for(step, RETRY):
        return RETRY
    key = step.plan.decision_key.lower()
    if not key:
        return ""
    allowed = ", ".join(route.value for route in step.plan.routes)
    value = _plain(given.get(key, ""))
    if not value:
        return Undecided(reason=f"the answer lacks {key.upper()}:, which must be one of {allowed}")
    if route_for(step, value) is None:
        return Undecided(reason=f"{key.upper()}: {value[:60]!r} is not one of {allowed}")
    return value


def verdict_of(step: Step, outputs: Context, notes: str) -> str:
    """Why a step has decided as it has: what it set beside the decision itself, else its notes."""
    own = {STATUS, step.plan.decision_key.lower()}
    return "\n".join(f"{key.upper()}: {value}" for key, value in outputs if key not in own) or notes


def _plain(value: str) -> str:
    """A value as it is compared: its first line, without the marks that people and agents put around a word."""
    return value.strip().partition("\n")[0].strip(_MARKS).casefold()


# What follows from a decision -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """A route back that the target's retries no longer allow."""

    target: Step
    told: str


def next_route(story: StoryState, step: Step) -> e.Conclude | Spent:
    """How the step's decision is followed."""
    route = route_for(step, step.decision) or Route(value=step.decision)
    target = _reached(story.pipeline, step, route)
    if target is not None and route.back and (spent := _spent(step, target)):
        return Spent(target=target, told=f"{step.id} {step.plan.name} {spent}: {step.verdict}")
    fact = story_facts.StepRouted(
        at=NOW,
        step=step.id,
        value=route.value,
        target=target.id if target else StepId(""),
        back=target is not None and route.back,
        feedback=step.verdict,
        clear=route.clear,
    )
    return e.Conclude(key=f"{step.id}/{step.attempts}/route", facts=(fact,))


def _spent(step: Step, target: Step) -> str:
    """Why the step may not be gone back to; empty where it may. Gates that fail as they did before would fail again."""
    if step.plan.kind is StepKind.GATE and target.returned_for == fingerprint(step.verdict):
        return f"came back with the same failure after {target.id} {target.plan.name} had been done again"
    if target.retries < target.plan.max_retries:
        return ""
    times = f"{target.retries} time" + ("" if target.retries == 1 else "s")
    decided = f"decided {step.decision!r} again, and {target.id} {target.plan.name} was gone back to or retried"
    return f"{decided} {times}, which is its limit"


def _reached(pipeline: Pipeline, step: Step, route: Route) -> Step | None:
    """The step that the route leads to; none where that lies on the wrong side, and so on in order."""
    target = pipeline.find(StepId(route.target))
    if target is None:
        return None
    ahead = pipeline.index(target.id) > pipeline.index(step.id)
    return target if ahead is not route.back else None


def routed(story: StoryState, fact: story_facts.StepRouted) -> StoryState | None:
    if not fact.step or story.routing != fact.step:
        return None
    pipeline = story.pipeline
    if fact.back and pipeline.find(fact.target):
        pipeline = _back(pipeline, fact)
    elif pipeline.find(fact.target):
        pipeline = _onward(pipeline, fact)
    return replace(
        story,
        pipeline=pipeline,
        routing=StepId(""),
        dialogue=replace(story.dialogue, context=without(story.dialogue.context, fact.clear)),
    )


def _onward(pipeline: Pipeline, fact: story_facts.StepRouted) -> Pipeline:
    reason = f"{fact.step} decided {fact.value!r}, which leads to {fact.target}"
    return _changed(
        pipeline,
        range(pipeline.index(fact.step) + 1, pipeline.index(fact.target)),
        lambda step: turn_step(step, Trigger.SKIP, skip_reason=reason, passed_over=True),
    )


def _back(pipeline: Pipeline, fact: story_facts.StepRouted) -> Pipeline:
    """The target, all between and the deciding step itself run again. What an edit has skipped stays skipped, unless
    it is the target: that was asked for by name.
    """
    first = pipeline.index(fact.target)
    target = pipeline.steps[first]
    reopened = _again(target) or target
    returned_for = fingerprint(fact.feedback)
    counted = replace(reopened, retries=target.retries + 1, feedback=fact.feedback, returned_for=returned_for)
    between = range(first + 1, pipeline.index(fact.step) + 1)
    return _changed(pipeline.with_step(counted), between, lambda step: _again(step) if _returns(step) else None)


def _returns(step: Step) -> bool:
    return step.status is not StepStatus.SKIPPED or step.passed_over


def _again(step: Step) -> Step | None:
    fresh: dict[str, Any] = {"skip_reason": "", "passed_over": False}
    return turn_step(step, Trigger.REWIND) or turn_step(step, Trigger.REVIVE, **fresh)


def _changed(pipeline: Pipeline, places: range, change: Callable[[Step], Step | None]) -> Pipeline:
    steps = tuple((change(step) or step) if place in places else step for place, step in enumerate(pipeline.steps))
    return replace(pipeline, steps=steps)


def one_more(story: StoryState, step: Step) -> StoryState:
    """A person allows a route back once more than the target's retries do, whatever it is for."""
    route = route_for(step, step.decision)
    target = story.pipeline.find(StepId(route.target)) if route else None
    if target is None:
        return story
    allowed = replace(
        target, plan=replace(target.plan, max_retries=max(target.plan.max_retries, target.retries + 1)), returned_for=""
    )
    return replace(story, pipeline=story.pipeline.with_step(allowed))
