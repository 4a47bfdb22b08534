"""A pipeline: an ordered list of steps and where each of them stands."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from shiftwork.domain.core.ids import Commit, StepId, step_id
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.workflow import StepKind, StepPlan


class StepStatus(StrEnum):
    """Where a step stands; `transitions` holds the only table of changes."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


FINISHED = frozenset({StepStatus.COMPLETED, StepStatus.SKIPPED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One node of a pipeline: its `plan` is what its workflow says of it, the rest is how far it has come. In `routes`
    of the plan are ids of steps. An edit may give it to another `profile`.
    """

    id: StepId
    plan: StepPlan
    profile: str = ""

    status: StepStatus = StepStatus.PENDING
    attempts: int = 0
    retries: int = 0  # returns after a failure or by a route back
    restarts: int = 0  # the agent's own
    questions: int = 0
    deferrals: int = 0  # limits that ended an attempt
    in_vain: int = 0  # those of them that did not come before the end that had been `promised`
    promised: float = 0.0
    decision: str = ""  # of the last attempt: by this its routes are followed
    verdict: str = ""  # why it has decided so
    passed_over: bool = False  # skipped by a route, and not by an edit
    start_commit: Commit = Commit("")
    notes: str = ""
    error: str = ""
    feedback: str = ""  # what the next attempt is told of the last
    returned_for: str = ""  # the fingerprint of what it was last gone back to for
    skip_reason: str = ""
    started_at: float | None = None  # of the last attempt
    ended_at: float | None = None
    seconds: float | None = None  # how long all took together that have ended, as far as that is known
    usage: Usage = NOTHING_USED
    log: str = ""
    played_by: str = ""  # the profile that made the last attempt
    model: str = ""  # the one it was asked to use, empty for its own, until it has told which one it used

    @property
    def mandatory(self) -> bool:
        """What the harness or a person is to do is no agent's to skip, and neither is what decides where the story
        goes, nor are some types of the catalogue.
        """
        row = CATALOGUE.get(self.plan.type)
        return self.plan.kind is not StepKind.AGENT or bool(self.plan.routes) or (row is not None and row.mandatory)

    @property
    def last(self) -> bool:
        row = CATALOGUE.get(self.plan.type)
        return row is not None and row.last

    @property
    def may_edit(self) -> bool:
        row = CATALOGUE.get(self.plan.type)
        return row is not None and row.may_edit


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Order is position in `steps`; `next_number` never goes down, so ids are never used twice."""

    steps: tuple[Step, ...] = ()
    next_number: int = 1

    def find(self, wanted: StepId) -> Step | None:
        return next((step for step in self.steps if step.id == wanted), None)

    def step(self, wanted: StepId) -> Step:
        """The step with that id; asking for one that is not there is a mistake of the caller's."""
        found = self.find(wanted)
        if found is None:
            raise LookupError(f"the pipeline has no step {wanted}")
        return found

    def index(self, wanted: StepId) -> int:
        return next(i for i, step in enumerate(self.steps) if step.id == wanted)

    @property
    def pending(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.status is StepStatus.PENDING)

    @property
    def current(self) -> Step | None:
        """The step that runs now, or whose failure has not been dealt with, else the next to run."""
        begun = (step for step in self.steps if step.status not in FINISHED and step.status is not StepStatus.PENDING)
        return next(begun, None) or next(iter(self.pending), None)

    def with_step(self, changed: Step) -> "Pipeline":
        return replace(self, steps=tuple(changed if step.id == changed.id else step for step in self.steps))


def planned_step(number: int, plan: StepPlan) -> Step:
    return Step(id=step_id(number), plan=plan)


def pipeline_of(plans: tuple[StepPlan, ...], *, first: int = 1) -> Pipeline:
    """The steps with their ids, counted from `first`, which from now on are what routes lead to: names need not be
    unique, and may go.
    """
    ids = {plan.name: step_id(number) for number, plan in reversed(list(enumerate(plans, start=first)))}
    steps = tuple(_routed(planned_step(number, plan), ids) for number, plan in enumerate(plans, start=first))
    return Pipeline(steps=steps, next_number=first + len(steps))


def _routed(step: Step, ids: Mapping[str, StepId]) -> Step:
    """A route to a name that no step has leads on in order; whoever loads a workflow refuses it."""
    routes = tuple(replace(route, target=ids.get(route.target, "")) for route in step.plan.routes)
    return replace(step, plan=replace(step.plan, routes=routes))
