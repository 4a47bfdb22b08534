"""Counts the minimum number of sessions of a workflow from its steps, before a run spends anything."""

from collections.abc import Sequence

from shiftwork.domain.workflow.workflow import StepKind, StepPlan, Workflow
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """`each` is the number for every story, `around` the number for the run's own steps. `more` are the decisions that
    add steps to a story, each with the number of its sessions then.
    """

    stories: int
    each: int
    around: int
    more: tuple[tuple[str, int], ...] = ()

    @property
    def total(self) -> int:
        return self.stories * self.each + self.around


def least_sessions(workflow: Workflow, stories: int) -> Sessions:
    """Assumes that every step succeeds at once and every decision takes the shortest route. Agents that may change the
    steps of their story can skip some; every failure or refusal adds sessions.
    """
    each = _least(workflow.story_steps)
    routes = (route for step in workflow.story_steps if step.decision_key for route in step.routes)
    more = tuple((route.value, each + len(route.adds)) for route in routes if route.adds)
    return Sessions(stories=stories, each=each, around=_least(workflow.frame), more=more)


def _least(steps: Sequence[StepPlan]) -> int:
    """From the last step to the first: the session of the step itself plus those of the shortest route after it."""
    places = {step.name: number for number, step in enumerate(steps)}
    left = [0] * (len(steps) + 1)
    for number in reversed(range(len(steps))):
        step = steps[number]
        left[number] = (step.kind is StepKind.AGENT) + min(left[place] for place in _ways_on(step, number, places))
    return left[0]


def _ways_on(step: StepPlan, number: int, places: dict[str, int]) -> set[int]:
    """The targets of its forward routes, and the next step unless the step must decide."""
    forward = {places.get(route.target, number + 1) for route in step.routes if not route.back}
    return forward if forward and step.decision_key else forward | {number + 1}
