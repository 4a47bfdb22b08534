"""Where a run stands: its spec, its settings for the stories, and what has become of each of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from shiftwork.domain.budget.amounts import Ledger
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import Commit, RunId, StoryId, Stream
from shiftwork.domain.memory.notes import Memory
from shiftwork.domain.notices.notice import NoticePlan, Noticing
from shiftwork.domain.proof.verdict import ProofStatus
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.story.state import FailureCause, LandingStage, StoryStatus
from shiftwork.domain.usage.forecast import Forecast
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.workflow import Workflow


class RunStatus(StrEnum):
    """Where a run stands; `transitions` holds the only table of changes."""

    PLANNED = "planned"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNDONE = "undone"


RUN_ENDED = frozenset({RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.UNDONE})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """Everything a run is given at its start and keeps to its end.

    `source` names the file that the spec was read from and that is told what lands; empty where there is none. It lies
    in the checkout in which the run was begun: `worktree` names that, and is empty for the main one.
    `patterns` of the code base are what earlier runs have learnt; what it may cost was `foreseen` where there was any
    ground for that. The run continues `without_gates` that the user has named. `base_story` makes gates green that are
    red on the branch: nothing else of the run begins before it has landed. The run belongs to a `project`, and nobody
    else's commands reach it. Where `review` is set, a person approves each patch before it lands.

    Options that the user has `named` stay in force until others are named; `agent`, `model` and `parallel` are as the
    settings say when the run is resumed where they are not among these. The agent's own choice is asked for where the
    `model` is empty. `trusted` are digests of what the user allowed the repository to run, for this run alone.
    `settings` are those that it began with, each with its value as JSON: only what is not a default.
    """

    run: RunId
    spec: Spec
    workflow: Workflow
    branch: str
    landing: Stream
    agent: str
    limits: Limits = Limits()
    parallel: int = 1
    source: str = ""
    patterns: tuple[str, ...] = ()
    notices: NoticePlan = NoticePlan()
    proof: ProofPolicy = ProofPolicy.TRUSTING
    foreseen: Forecast | None = None
    without_gates: tuple[str, ...] = ()
    base_story: StoryId = StoryId("")
    project: str = ""
    worktree: str = ""
    review: bool = False
    model: str = ""
    named: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryOutcome:
    """What the run knows of one story; `dispatched` counts how often it was begun, and the next time it is begun
    `afresh` or from the step that failed. What landed is `commit`, on top of `base`, and is proved as far as `proof`
    says. `stale` says why what was done for it counts no more.
    """

    status: StoryStatus = StoryStatus.UNCLAIMED
    dispatched: int = 0
    afresh: bool = False
    stale: str = ""
    commit: Commit = Commit("")
    base: Commit = Commit("")
    reason: str = ""
    cause: FailureCause | None = None
    usage: Usage = NOTHING_USED
    proof: ProofStatus | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """A revert of what a story has landed, and how far it has come; `number` counts those of the run from 1. The queue
    has been asked for the request of one that is `withdrawing`. One that landed has passed `gates`.
    """

    number: int
    landing: LandingStage = LandingStage.NONE
    withdrawing: bool = False
    commit: Commit = Commit("")
    gates: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What the spec's file is still to be told of, in the order of landing. After a try that failed nothing is `due`
    until more lands or the run is about to end.
    """

    untold: tuple[StoryId, ...] = ()
    due: bool = False
    tries: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Where the run's own steps stand, if its workflow has any beside the loop over the stories.

    `goes` counts how often they were begun, and they are to be once more where it says `again`. `round` counts how
    often the loop was opened; stories start while it is `open`.
    `context` has the values that the frame's steps and the stories have set so far.
    """

    goes: int = 0
    going: bool = False
    again: bool = False
    round: int = 0
    open: bool = False
    failure: str = ""
    context: tuple[tuple[str, str], ...] = ()
    usage: Usage = NOTHING_USED


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """What follows from the stories and their dependencies alone; made anew only where these change.

    `position` is a story's place in the spec, `depth` one in an order in which dependencies come first (stories on a
    circle have none, and `circle` names it), `rank` its place among those that could start.
    """

    position: Mapping[StoryId, int] = field(default_factory=dict)
    depth: Mapping[StoryId, int] = field(default_factory=dict)
    rank: Mapping[StoryId, int] = field(default_factory=dict)
    dependents: Mapping[StoryId, tuple[StoryId, ...]] = field(default_factory=dict)
    circle: tuple[StoryId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Derived from the stories, and updated with each fact because a decision must not look at all of them."""

    unlanded: Mapping[StoryId, int] = field(default_factory=dict)  # how many dependencies each still waits for
    ready: tuple[StoryId, ...] = ()  # those that could start, the best first
    in_progress: Mapping[StoryId, int] = field(default_factory=dict)  # with the slot of each
    waiting: frozenset[StoryId] = frozenset()  # of those, the ones that wait for a person
    blocked: Mapping[StoryId, str] = field(default_factory=dict)  # with the reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """How many stories have ended how, and what they have cost, so far as that is known."""

    completed: int = 0
    failed: int = 0
    spent: float | None = None  # by stories that have ended; not known of so many `unpriced` attempts
    unpriced: int = 0
    estimated: bool = False  # whether a part of `spent` was worked out from tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """What users have asked for: which stories come first, what is to be cancelled, paused or undone; and which of the
    stories have been notified.
    """

    first: tuple[StoryId, ...] = ()
    cancelling: bool = False
    unwanted: frozenset[StoryId] = frozenset()
    cancelled_stories: frozenset[StoryId] = frozenset()
    paused: bool = False
    pauses: int = 0
    paused_stories: frozenset[StoryId] = frozenset()
    undoing: Mapping[StoryId, Undo] = field(default_factory=dict)
    undos: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Money and tokens; `raises` counts how often users have set other limits."""

    ledger: Ledger = field(default_factory=Ledger)
    raises: int = 0
    unaware: frozenset[StoryId] = frozenset()  # stories in progress that have yet to be notified of the limits
    owing: frozenset[StoryId] = frozenset()  # those that have yet to report what they had used without any


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """The fold of a run's facts; `stories` keeps the order of the spec."""

    plan: RunPlan | None = None
    status: RunStatus = RunStatus.PLANNED
    stories: Mapping[StoryId, StoryOutcome] = field(default_factory=dict)
    graph: Graph = field(default_factory=Graph)
    cursor: int = 0  # how far its inbox is read
    endings: int = 0  # how often it was over
    started_at: float | None = None
    ended_at: float | None = None

    schedule: Schedule = field(default_factory=Schedule)
    totals: Totals = Totals()
    requests: Requests = field(default_factory=Requests)
    spending: Spending = field(default_factory=Spending)
    telling: Telling = Telling()
    frame: Frame = Frame()
    memory: Memory = Memory()
    noticing: Noticing = Noticing()

    @property
    def given(self) -> RunPlan:
        """The plan; asking before the run has started is a mistake of the caller's."""
        if self.plan is None:
            raise LookupError("the run has not started")
        return self.plan

    def asked(self, story: StoryId) -> Story:
        """The story as the spec has it."""
        return self.given.spec.stories[self.graph.position[story]]
