"""A workflow as data: the steps a run goes through, one of which may be a loop over its stories."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shiftwork.domain.model.catalogue import CATALOGUE, DYNAMIC_STEPS


class StepKind(StrEnum):
    """Who does a step: an agent, the harness's own gates, a person, or each story's pipeline in turn."""

    AGENT = "agent"
    GATE = "gate"
    APPROVAL = "approval"
    LOOP = "loop"


class Exhausted(StrEnum):
    """What happens when a step's retries are spent."""

    FAIL = "fail"
    ASK = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPlan:
    """A step as the workflow describes it; `type` is its row in the catalogue, `body` the steps of a loop."""

    name: str
    type: str
    kind: StepKind = StepKind.AGENT
    description: str = ""
    minutes: float = 30
    max_retries: int = 1
    exhausted: Exhausted = Exhausted.FAIL
    output_keys: tuple[str, ...] = ()
    body: tuple["StepPlan", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """The user's way of working: run-level steps, with the stories' pipeline as the body of a loop."""

    id: str
    version: int
    steps: tuple[StepPlan, ...]

    @property
    def story_steps(self) -> tuple[StepPlan, ...]:
        """The pipeline that each story goes through: the body of the first loop."""
        return next((step.body for step in self.steps if step.kind is StepKind.LOOP), ())


def catalogue_step(name: str, *, max_retries: int = 1) -> StepPlan:
    row = CATALOGUE[name]
    return StepPlan(name=name, type=name, description=row.description, minutes=row.minutes, max_retries=max_retries)


DYNAMIC: Final = Workflow(
    id="dynamic",
    version=1,
    steps=(
        StepPlan(
            name="stories",
            type="stories",
            kind=StepKind.LOOP,
            body=tuple(catalogue_step(name) for name in DYNAMIC_STEPS),
        ),
    ),
)

WORKFLOWS: Final = {workflow.id: workflow for workflow in (DYNAMIC,)}
