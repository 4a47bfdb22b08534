"""What a story was started with."""

from shiftwork.domain.agents.tally import Pick
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import RunId, Stream
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.notices.notice import NoticePlan
from shiftwork.domain.spec import spec
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.workflow.workflow import AgentPlan
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Everything a story's job needs to begin, fixed when the run dispatches it. While the story is in progress, no
    other story of the run has its `slot`. `task` is the task of the whole run, `context` and `agents` come from the
    workflow, `source`, `spec_paths` and `without_gates` from the run. `raises` counts how often the `limits` had been
    changed by then. `gates` are those of the run's spec. If `review` is set, a person approves each patch before it
    lands. `base` is as in the run's plan.
    `user_context` are the values of `context` that the user named.
    """

    run: RunId
    story: spec.Story
    position: int
    requirements: tuple[str, ...]
    branch: str
    landing: Stream
    agent: str
    limits: Limits
    raises: int = 0
    slot: int = 0
    instructions: str = ""
    task: str = ""
    context: tuple[tuple[str, str], ...] = ()
    agents: tuple[AgentPlan, ...] = ()
    picks: tuple[Pick, ...] = ()
    notices: NoticePlan = NoticePlan()
    proof: ProofPolicy = ProofPolicy.TRUSTING
    source: str = ""
    gates: tuple[Gate, ...] = ()
    without_gates: tuple[str, ...] = ()
    review: bool = False
    base: str = ""
    non_goals: tuple[str, ...] = ()
    user_context: tuple[tuple[str, str], ...] = ()
    spec_paths: spec.SpecPaths = spec.SpecPaths()
