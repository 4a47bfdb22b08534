"""Where a decision leads. A route forward skips the steps in between, a route back repeats them.

Routes lead to ids, so that edits do not break them: if a step is split, its routes lead to the first of its
replacements; a step may not be moved to the other side of a step that leads to it; and a deciding step is neither split
nor skipped. A route forward to a skipped step leads to the next step after it; a route back to a skipped step runs it.
"""

from collections.abc import Callable, Iterator
from typing import Final, Literal

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.decision import NOW
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StepId
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.text.equivalence import comparable
from shiftwork.domain.text.excerpt import fingerprint
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.guardrails import HARNESS, Rejected, apply_edits, outline
from shiftwork.domain.workflow.pipeline import Pipeline, Step, StepStatus
from shiftwork.domain.workflow.rounds import STORY_COMPLETE, RoundsEnd, rounds_of, says_nothing_new
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.template_values import Context, without
from shiftwork.domain.workflow.transitions import turn_step
from shiftwork.domain.workflow.workflow import Route, StepKind
from shiftwork.records import dataclass, replace
from shiftwork.regexes import regex

DONE: Final = "done"
RETRY: Final = "retry"
PASSED: Final = "passed"
FAILED: Final = "failed"
APPROVED: Final = "approved"
REJECTED: Final = "rejected"

STATUS: Final = "status"
MAX_REVIEWS: Final = 3
"""How often the last step of a story may find faults that are repaired; after that the story ends."""

_REJECTING: Final = regex(
    rf"(?:{RETRY}|fail(?:s|ed|ure)?|reject(?:s|ed)?|needs[_ -](?:fixes|changes|work)|error|incomplete"
    r"|not (?:done|ready|complete|finished|acceptable|approved))(?![\w-])"
)
_REMARK: Final = regex(r"\s*\([^()]*\)$")
_MARKS: Final = " \t`*_.,;:!\"'\u3002\uff01"  # the last two are the full stop and the exclamation mark of Chinese


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """Why an answer contains no decision, in the words shown to the agent before its next attempt."""

    reason: str


def route_for(step: Step, value: str) -> Route | None:
    wanted = plain_value(value)
    return next((route for route in step.plan.routes if wanted and plain_value(route.value) == wanted), None)


def decision_of(step: Step, outputs: Context) -> str | Undecided:
    """The decision in an agent's answer; empty if the step makes no decision.

    `STATUS: retry` is a decision if the step has a route for it, whatever its decision key is.
    """
    given = dict(outputs)
    if rejection_in(given.get(STATUS, "")) == RETRY and route_for(step, RETRY):
        return RETRY
    key = step.plan.decision_key.lower()
    if not key:
        return ""
    allowed = ", ".join(route.value for route in step.plan.routes)
    value = plain_value(given.get(key, ""))
    if not value and step.plan.default:
        return step.plan.default
    if not value:
        return Undecided(reason=f"the answer lacks {key.upper()}:, which must be one of {allowed}")
    route = route_for(step, value) or route_for(step, _REMARK.sub("", value))
    if route is None:
        return Undecided(reason=f"{key.upper()}: {value[:60]!r} is not one of {allowed}")
    return plain_value(route.value)


def rejection_in(status: str) -> str:
    """The words with which a status rejects the work, such as `retry`, perhaps before a reason; else empty."""
    found = _REJECTING.match(plain_value(status))
    return found[0] if found else ""


def verdict_of(step: Step, outputs: Context, notes: str) -> str:
    """The reason for a step's decision: its outputs apart from the decision, otherwise its notes."""
    own = {STATUS, step.plan.decision_key.lower()}
    return "\n".join(f"{key.upper()}: {value}" for key, value in outputs if key not in own) or notes


def with_turn(pipeline: Pipeline, step: Step, outputs: Context, notes: str) -> Step:
    """The step with what its turn said, if it belongs to rounds."""
    rounds = rounds_of(pipeline, step)
    if rounds is None:
        return step
    own = {STATUS, step.plan.decision_key.lower()}
    said = comparable("\n".join(value for key, value in outputs if key not in own) or notes)
    return replace(step, said=said, converged=says_nothing_new(rounds, step, said))


def decides(pipeline: Pipeline, step: Step, decision: str) -> bool:
    """Whether something follows from the end of the step: a route of its decision, or the end of its rounds."""
    ends = step.converged or decision == STORY_COMPLETE
    return route_for(step, decision) is not None or (ends and rounds_of(pipeline, step) is not None)


def plain_value(value: str) -> str:
    """A value in the form used for comparison: its first line, without quotes, emphasis and punctuation around it."""
    return value.strip().partition("\n")[0].strip(_MARKS).casefold()


# What follows from a decision -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """A route back that the target's retries no longer allow."""

    target: Step
    message: str


def next_route(story: StoryState, step: Step) -> e.Conclude | Spent:
    """The effect that follows the step's decision, or why the route back is not allowed."""
    route = route_for(step, step.decision) or Route(value=step.decision)
    target = _reached(story.pipeline, step, route)
    ended = _end_of_rounds(story.pipeline, step, route)
    if ended and route.back:
        target = None
    if target is not None and route.back and not route.rounds and (spent := _spent(step, target)):
        return Spent(target=target, message=f"{step.id} {step.plan.name} {spent}: {step.verdict}")
    added = tuple(_additions(story.pipeline, step, route))
    edited = any(isinstance(fact, story_facts.WorkflowEdited) for fact in added)
    if route.adds and step.last and (step.attempts >= MAX_REVIEWS or not edited):
        # Its work must not land: nothing after the last step would repair it.
        return Spent(target=step, message=f"{step.id} {step.plan.name} decided {step.decision!r}: {step.verdict}")
    fact = story_facts.StepRouted(
        at=NOW,
        step=step.id,
        value=route.value,
        target=target.id if target else StepId(""),
        back=target is not None and route.back,
        feedback=step.verdict,
        clear=route.clear,
        ended=ended,
    )
    return e.Conclude(key=f"{step.id}/{step.attempts}/route", facts=(*added, fact))


def _end_of_rounds(pipeline: Pipeline, step: Step, route: Route) -> RoundsEnd | Literal[""]:
    """Why the rounds of the step end with its decision; empty if they do not, or if it belongs to none."""
    rounds = rounds_of(pipeline, step, route)
    if rounds is None or (route.back and not route.rounds):
        return ""
    if step.decision == STORY_COMPLETE or (rounds.closed_by(step) and not route.back):
        return RoundsEnd.COMPLETE
    if step.converged:
        return RoundsEnd.CONVERGED
    return RoundsEnd.LAST if route.rounds and rounds.number >= rounds.most else ""


def must_change(step: Step, decision: str) -> bool:
    """Whether the step has to change files: by its type, unless its decision leaves that to the steps that it adds."""
    row, route = CATALOGUE.get(step.plan.type), route_for(step, decision)
    return row is not None and row.changes and not (route and route.adds)


def _additions(pipeline: Pipeline, step: Step, route: Route) -> Iterator[Fact]:
    """The edit that adds the steps of the route, without those that are still to come. Before the last step, which then
    runs again, they repair what it found.
    """
    coming = {later.plan.type for later in pipeline.pending}
    found = f"Fix what {step.plan.name} found:\n{step.verdict}" if step.last else ""
    added = tuple(
        NewStep(type=name, description=found or CATALOGUE[name].description)
        for name in route.adds
        if name not in coming
    )
    if not added:
        return
    reason = f"{step.id} {step.plan.name} decided {route.value!r}"
    place = pipeline.index(step.id)
    target = pipeline.steps[place - 1].id if step.last and place else step.id
    edits = (Edit(operation=Operation.ADD_AFTER, reason=reason, target=target, steps=added),)
    changed = apply_edits(pipeline, HARNESS, edits)
    if isinstance(changed, Rejected):
        yield story_facts.WorkflowEditRejected(at=NOW, by=HARNESS, request=reason, reason=changed.reason)
    else:
        before, after = outline(pipeline), outline(changed)
        yield story_facts.WorkflowEdited(at=NOW, by=HARNESS, edits=edits, before=before, after=after)


def _spent(step: Step, target: Step) -> str:
    """Why a route back is not allowed; empty if it is. Gates that failed in the same way would fail again."""
    if step.plan.kind is StepKind.GATE and target.returned_for == fingerprint(step.verdict):
        return f"failed in the same way after {target.id} {target.plan.name} had run again"
    if target.retries < target.plan.max_retries:
        return ""
    times = f"{target.retries} time" + ("" if target.retries == 1 else "s")
    decided = f"decided {step.decision!r} again, and {target.id} {target.plan.name} was already repeated"
    return f"{decided} {times}, which is its limit"


def _reached(pipeline: Pipeline, step: Step, route: Route) -> Step | None:
    """The target of the route; None if it is on the wrong side, so that the steps continue in order."""
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
    elif fact.ended:
        pipeline = _out_of_rounds(pipeline, fact)
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
        lambda step: turn_step(replace(step, skip_reason=reason, passed_over=True), Trigger.SKIP),
    )


def _out_of_rounds(pipeline: Pipeline, fact: story_facts.StepRouted) -> Pipeline:
    rounds = rounds_of(pipeline, pipeline.step(fact.step))
    last = pipeline.index(rounds.team[-1].id) if rounds else 0
    reason = f"{fact.step} ended the rounds: {fact.ended}"
    return _changed(
        pipeline,
        range(pipeline.index(fact.step) + 1, last + 1),
        lambda step: turn_step(replace(step, skip_reason=reason, passed_over=True), Trigger.SKIP),
    )


def _back(pipeline: Pipeline, fact: story_facts.StepRouted) -> Pipeline:
    """The target, the deciding step and all steps between run again. Steps skipped by an edit stay skipped, except the
    target, because the route names it.
    """
    first = pipeline.index(fact.target)
    target = pipeline.steps[first]
    reopened = _again(target) or target
    route = route_for(pipeline.step(fact.step), fact.value)
    another_round = route is not None and route.rounds > 0
    counted = replace(
        reopened,
        retries=target.retries + (not another_round),
        rounds=target.rounds + another_round,
        feedback=fact.feedback,
        returned_for=fingerprint(fact.feedback),
    )
    between = range(first + 1, pipeline.index(fact.step) + 1)
    return _changed(pipeline.with_step(counted), between, lambda step: _again(step) if _returns(step) else None)


def _returns(step: Step) -> bool:
    return step.status is not StepStatus.SKIPPED or step.passed_over


def _again(step: Step) -> Step | None:
    fresh = replace(step, skip_reason="", passed_over=False)
    return turn_step(step, Trigger.REWIND) or turn_step(fresh, Trigger.REVIVE)


def _changed(pipeline: Pipeline, places: range, change: Callable[[Step], Step | None]) -> Pipeline:
    steps = tuple((change(step) or step) if place in places else step for place, step in enumerate(pipeline.steps))
    return replace(pipeline, steps=steps)


def one_more(story: StoryState, step: Step) -> StoryState:
    """Allows a route back once more than the target's retries permit, because a person agreed."""
    route = route_for(step, step.decision)
    target = story.pipeline.find(StepId(route.target)) if route else None
    if target is None:
        return story
    allowed = replace(
        target, plan=replace(target.plan, max_retries=max(target.plan.max_retries, target.retries + 1)), returned_for=""
    )
    return replace(story, pipeline=story.pipeline.with_step(allowed))
