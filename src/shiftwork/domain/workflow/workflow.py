"""A workflow as data: the steps of a run, one of which may be a loop over its stories."""

from enum import StrEnum
from typing import Final

from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.workflow.step_types import CATALOGUE, DYNAMIC_STEPS
from shiftwork.records import dataclass, replace

SIZE: Final = "size"
"""The key by which an answer says how large a story is."""


class StepKind(StrEnum):
    """What performs a step: an agent, the harness's own gates, a person, or each story's pipeline in turn."""

    AGENT = "agent"
    GATE = "gate"
    APPROVAL = "approval"
    LOOP = "loop"


class Exhausted(StrEnum):
    """What happens when a step has no retries left."""

    FAIL = "fail"
    ASK = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where a decision leads: to a later step, `back` to an earlier step, or, without a target, to the next step in
    order.

    `target` is a step's name in a plan and its id in a pipeline. `clear` names the keys that are then removed from the
    context. `adds` are steps of the catalogue that are then added after the deciding step. A route back with `rounds`
    is followed for at most that many rounds; `rounds` says what else ends them. Values are compared without regard to
    case.
    """

    value: str
    target: str = ""
    back: bool = False
    clear: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    rounds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPlan:
    """A step as the workflow describes it. `type` is its row in the catalogue, `body` holds the steps of a loop.

    `input` is the step's own prompt (the catalogue's where it is empty) and `expects` says what its answer must
    contain. The answer's value for `decision_key`, the gates (`passed`, `failed`) or a person (`approved`, `rejected`)
    decide which of the `routes` is followed; `default` is the decision of an answer without that key. `shared_keys` are
    outputs that other steps may produce as well. `commands` are the checks of a gate step; without any it runs those of
    the settings. A step that `plans` answers with stories; its changes in the workspace are dropped. A step that
    `completes` ends the rounds it belongs to if its answer says STORY_COMPLETE.
    """

    name: str
    type: str
    kind: StepKind = StepKind.AGENT
    description: str = ""
    minutes: float = 30
    max_retries: int = 1
    exhausted: Exhausted = Exhausted.FAIL
    output_keys: tuple[str, ...] = ()
    body: tuple["StepPlan", ...] = ()
    agent: str = ""
    input: str = ""
    expects: str = ""
    decision_key: str = ""
    default: str = ""
    routes: tuple[Route, ...] = ()
    shared_keys: tuple[str, ...] = ()
    commands: tuple[Gate, ...] = ()
    plans: bool = False
    completes: bool = False

    @property
    def sizes(self) -> bool:
        """Whether it decides how large the story is; a coding step then does a small story itself."""
        return self.decision_key == SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPlan:
    """The agent of a step: its role and its profile (the run's own where none is named). `persona` holds the names and
    texts of files that precede its prompts.
    """

    id: str
    name: str = ""
    role: str = ""
    profile: str = ""
    model: str = ""
    timeout_minutes: float | None = None
    persona: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """The user's way of working: run-level steps, with the stories' pipeline as the body of a loop. `context` holds
    values that templates may name from the start. `parallel` is how many stories may be in progress, where the workflow
    sets it. Notices about the run are posted to `notify_url`.
    """

    id: str
    version: int
    steps: tuple[StepPlan, ...]
    name: str = ""
    description: str = ""
    agents: tuple[AgentPlan, ...] = ()
    context: tuple[tuple[str, str], ...] = ()
    parallel: int | None = None
    notify_url: str = ""

    @property
    def story_steps(self) -> tuple[StepPlan, ...]:
        """The pipeline of each story: the body of the loop, or all steps where there is no loop."""
        return next((step.body for step in self.steps if step.kind is StepKind.LOOP), self.steps)

    @property
    def frame(self) -> tuple[StepPlan, ...]:
        """The run's own pipeline, including its loop, where there are steps before or after the stories."""
        loops = any(step.kind is StepKind.LOOP for step in self.steps)
        return self.steps if loops and len(self.steps) > 1 else ()


def catalogue_step(name: str, *, max_retries: int = 1) -> StepPlan:
    row = CATALOGUE[name]
    return StepPlan(name=name, type=name, description=row.description, minutes=row.minutes, max_retries=max_retries)


_LARGE_STEPS: Final = tuple(
    name for name in DYNAMIC_STEPS if name not in {"context_gathering", "linting", "final_review"}
)

AUTO: Final = Workflow(
    id="auto",
    version=1,
    description="Two sessions for a small story: one does it, one reviews it. Larger stories get more steps.",
    steps=(
        StepPlan(
            name="stories",
            type="stories",
            kind=StepKind.LOOP,
            body=(
                replace(
                    catalogue_step("coding"),
                    name="sizing",
                    description="Decide how large the story is, and do it if it is small",
                    decision_key=SIZE,
                    default="small",
                    routes=(
                        Route(value="small"),
                        Route(value="medium", adds=("planning", "test_architecture", "coding", "review")),
                        Route(value="large", adds=_LARGE_STEPS),
                    ),
                ),
                replace(catalogue_step("final_review"), routes=(Route(value="retry", adds=("coding",)),)),
            ),
        ),
    ),
)
"""The default. The first session sizes the story, and does it if it is small. Linters are gates, not sessions."""

DYNAMIC: Final = Workflow(
    id="dynamic",
    version=1,
    description="Ten small steps a story, from exploring the code to a final review. Agents may change the steps.",
    steps=(
        StepPlan(
            name="stories",
            type="stories",
            kind=StepKind.LOOP,
            body=tuple(catalogue_step(name) for name in DYNAMIC_STEPS),
        ),
    ),
)

RALPH: Final = Workflow(
    id="ralph",
    version=1,
    description="One session a story, and the gates. Further sessions fix what the gates refuse.",
    steps=(StepPlan(name="stories", type="stories", kind=StepKind.LOOP, body=(catalogue_step("coding"),)),),
)
"""One session per story, and the gates at its landing. Further sessions fix what the gates refuse."""

WORKFLOWS: Final = {workflow.id: workflow for workflow in (AUTO, DYNAMIC, RALPH)}
