"""What the short forms of a workflow file stand for, in the one mechanism there is: steps and their routes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from shiftwork.domain.story.routing import APPROVED, DONE, FAILED, PASSED, REJECTED, RETRY, STATUS
from shiftwork.domain.workflow.workflow import Exhausted, Route, StepKind, StepPlan

_ON_FAILURE: Final = {StepKind.GATE: FAILED, StepKind.APPROVAL: REJECTED}
DECISIONS: Final = {StepKind.GATE: (PASSED, FAILED), StepKind.APPROVAL: (APPROVED, REJECTED)}
"""What gates and people decide; what agents decide is the file's to say."""


def verify_each(implement: StepPlan, verify: StepPlan) -> tuple[StepPlan, StepPlan]:
    """`verify_each: true`: the body of a loop in which a second step looks at what the first has done.

    `STATUS: done` goes on. `STATUS: retry` leads back to the first step, which is told the ISSUES, and counts against
    its retries. A verifier with decisions of its own keeps them.
    """
    back = failure_route(StepKind.AGENT, implement.name)
    if verify.decision_key:
        return implement, with_route(verify, back)
    decided = replace(verify, decision_key=STATUS)
    return implement, with_route(with_route(decided, Route(value=DONE)), back)


def failure_route(kind: StepKind, target: str, clear: tuple[str, ...] = ()) -> Route:
    """`on_fail: {retry_step: …}`: what a step of this kind says when what it looked at will not do leads back.

    A step that crashes, or runs out of time, has said nothing about that: it is tried again itself.
    """
    return Route(value=_ON_FAILURE.get(kind, RETRY), target=target, back=True, clear=clear)


def with_route(step: StepPlan, route: Route) -> StepPlan:
    """The step with one more route; one that it has for the same value stays."""
    known = {existing.value.casefold() for existing in step.routes}
    return step if route.value.casefold() in known else replace(step, routes=(*step.routes, route))


def with_limit(
    steps: Sequence[StepPlan], target: str, max_retries: int | None = None, exhausted: Exhausted | None = None
) -> tuple[StepPlan, ...]:
    """The steps, with what `on_fail` says of retries said of the step that it leads to, because those count."""
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
