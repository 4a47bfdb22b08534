"""Expands the short forms of a workflow file into steps and routes."""

from collections.abc import Collection, Sequence
from typing import Final

from shiftwork.domain.story.routing import APPROVED, DONE, FAILED, PASSED, REJECTED, RETRY, STATUS
from shiftwork.domain.workflow.workflow import Exhausted, Route, StepKind, StepPlan
from shiftwork.records import replace

_ON_FAILURE: Final = {StepKind.GATE: FAILED, StepKind.APPROVAL: REJECTED}
DECISIONS: Final = {StepKind.GATE: (PASSED, FAILED), StepKind.APPROVAL: (APPROVED, REJECTED)}
"""The decisions of gates and people; the workflow file defines those of agents."""


def verify_each(implement: StepPlan, verify: StepPlan) -> tuple[StepPlan, StepPlan]:
    """Expands `verify_each: true`: the body of a loop in which a second step checks the work of the first.

    `STATUS: done` continues. `STATUS: retry` returns to the first step, which receives the ISSUES, and counts against
    its retries. A verifier with its own decisions keeps them.
    """
    back = failure_route(StepKind.AGENT, implement.name)
    if verify.decision_key:
        return implement, with_route(verify, back)
    decided = replace(verify, decision_key=STATUS)
    return implement, with_route(with_route(decided, Route(value=DONE)), back)


def failure_route(kind: StepKind, target: str, clear: tuple[str, ...] = ()) -> Route:
    """Expands `on_fail: {retry_step: …}`: a route back for the decision with which a step of this kind rejects work.

    A step that crashes or times out has made no decision: the step itself is retried.
    """
    return Route(value=_ON_FAILURE.get(kind, RETRY), target=target, back=True, clear=clear)


def with_route(step: StepPlan, route: Route) -> StepPlan:
    """Adds a route to the step; an existing route for the same value stays."""
    known = {existing.value.casefold() for existing in step.routes}
    return step if route.value.casefold() in known else replace(step, routes=(*step.routes, route))


def with_limit(
    steps: Sequence[StepPlan], target: str, max_retries: int | None = None, exhausted: Exhausted | None = None
) -> tuple[StepPlan, ...]:
    """Applies the retry limits of `on_fail` to the step that it leads to, because that step's retries count."""
    return tuple(
        replace(
            step,
            max_retries=step.max_retries if max_retries is None else max_retries,
            exhausted=exhausted or step.exhausted,
        )
        if step.name == target
        else step
        for step in steps
    )


def with_judges(steps: Sequence[StepPlan], judges: Collection[str]) -> tuple[StepPlan, ...]:
    """Lets the steps of these agents end the rounds that they belong to."""
    names = [step.name for step in steps]
    in_rounds = {
        name
        for last, step in enumerate(steps)
        for route in step.routes
        if route.rounds and route.target in names
        for name in names[names.index(route.target) : last + 1]
    }
    return tuple(
        replace(step, completes=True) if step.name in in_rounds and step.agent in judges else step for step in steps
    )
