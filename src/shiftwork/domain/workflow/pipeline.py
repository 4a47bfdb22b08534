"""A pipeline: an ordered list of steps with their status."""

from collections.abc import Mapping
from enum import StrEnum

from shiftwork.domain.core.ids import Commit, StepId, step_id
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.workflow import StepKind, StepPlan
from shiftwork.records import dataclass, replace


class StepStatus(StrEnum):
    """The status of a step; `transitions` holds the only table of changes."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


FINISHED = frozenset({StepStatus.COMPLETED, StepStatus.SKIPPED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsummarised:
    """The result of an `attempt` that lacks only its summary, the session that can be asked for it, and the `note` that
    replaces it; without a note the step fails.
    """

    attempt: int
    agent: str
    session: str
    home: str
    note: str
    outputs: tuple[tuple[str, str], ...]
    decision: str
    verdict: str
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of a pipeline: `plan` is the workflow's description of it, the rest is its progress. `routes` of the plan
    contain ids of steps. An edit may assign another `profile`. `added_by` is who added it: a step, a person or the
    harness; empty if it comes from the workflow.
    """

    id: StepId
    plan: StepPlan
    profile: str = ""
    added_by: str = ""

    status: StepStatus = StepStatus.PENDING
    attempts: int = 0
    retries: int = 0  # returns after a failure or through a route back
    rounds: int = 0  # returns through a route with rounds, which are no retries
    restarts: int = 0  # requested by the agent itself or by a person
    questions: int = 0
    deferrals: int = 0  # limits that ended an attempt
    in_vain: int = 0  # those of them that did not come before the end that had been `promised`
    promised: float = 0.0
    decision: str = ""  # of the last attempt; selects the route
    verdict: str = ""  # the reason for the decision
    said: str = ""  # by the last turn in rounds, in the form used for comparison
    converged: bool = False  # that turn said nothing new
    unsummarised: Unsummarised | None = None  # the next attempt only asks for the summary
    passed_over: bool = False  # skipped by a route, not by an edit
    start_commit: Commit = Commit("")
    notes: str = ""
    error: str = ""
    feedback: str = ""  # about the last attempt, for the next
    returned_for: str = ""  # the fingerprint of the reason for the last return to it
    skip_reason: str = ""
    started_at: float | None = None  # of the last attempt
    ended_at: float | None = None
    seconds: float | None = None  # total of all ended attempts, as far as known
    usage: Usage = NOTHING_USED
    log: str = ""
    assigned_profile: str = ""  # the profile that made the last attempt
    model: str = ""  # the requested model, empty for the agent's default, until the agent reports the model it used

    @property
    def mandatory(self) -> bool:
        """An agent may not skip a step that the harness or a person performs, a step that decides the route, or a
        mandatory type of the catalogue.
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
    """Order is the position in `steps`; `next_number` never decreases, so ids are never reused."""

    steps: tuple[Step, ...] = ()
    next_number: int = 1

    def find(self, wanted: StepId) -> Step | None:
        for step in self.steps:
            if step.id == wanted:
                return step
        return None

    def step(self, wanted: StepId) -> Step:
        """Returns the step with that id. Raises LookupError where it does not exist, which is a bug in the caller."""
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
        """The step that runs now or whose failure is not handled yet, otherwise the next to run."""
        begun = (step for step in self.steps if step.status not in FINISHED and step.status is not StepStatus.PENDING)
        return next(begun, None) or next(iter(self.pending), None)

    def with_step(self, changed: Step) -> "Pipeline":
        return replace(self, steps=tuple([changed if step.id == changed.id else step for step in self.steps]))


def planned_step(number: int, plan: StepPlan) -> Step:
    return Step(id=step_id(number), plan=plan)


def pipeline_of(plans: tuple[StepPlan, ...], *, first: int = 1) -> Pipeline:
    """The steps with their ids, counted from `first`. Routes now point to ids, because names need not be unique and
    steps may be removed.
    """
    ids = {plan.name: step_id(number) for number, plan in reversed(list(enumerate(plans, start=first)))}
    steps = tuple(_routed(planned_step(number, plan), ids) for number, plan in enumerate(plans, start=first))
    return Pipeline(steps=steps, next_number=first + len(steps))


def _routed(step: Step, ids: Mapping[str, StepId]) -> Step:
    """A route to an unknown name continues in order; the loader of workflows refuses such a route."""
    routes = tuple(replace(route, target=ids.get(route.target, "")) for route in step.plan.routes)
    return replace(step, plan=replace(step.plan, routes=routes))
