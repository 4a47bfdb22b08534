"""How many sessions a workflow takes at least: counted from its steps, before anything is paid for."""

from collections.abc import Sequence
from dataclasses import dataclass

from shiftwork.domain.workflow.workflow import StepKind, StepPlan, Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """`each` for every one of the `stories`, and `around` them for the run's own steps."""

    stories: int
    each: int
    around: int

    @property
    def total(self) -> int:
        return self.stories * self.each + self.around


def least_sessions(workflow: Workflow, stories: int) -> Sessions:
    """Where every step succeeds at once and every decision takes the shortest way. Agents who may change the steps of
    their story can leave some out; whatever fails or is refused adds some.
    """
    return Sessions(stories=stories, each=_least(workflow.story_steps), around=_least(workflow.frame))


def _least(steps: Sequence[StepPlan]) -> int:
    """From the last step to the first: the sessions of the step itself and of the shortest way that it can lead on."""
    places = {step.name: number for number, step in enumerate(steps)}
    left = [0] * (len(steps) + 1)
    for number in reversed(range(len(steps))):
        step = steps[number]
        left[number] = (step.kind is StepKind.AGENT) + min(left[place] for place in _ways_on(step, number, places))
    return left[0]


def _ways_on(step: StepPlan, number: int, places: dict[str, int]) -> set[int]:
    """In order, unless the step must decide; and wherever a decision leads forward."""
    forward = {places.get(route.target, number + 1) for route in step.routes if not route.back}
    return forward if forward and step.decision_key else forward | {number + 1}
