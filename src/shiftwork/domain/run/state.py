"""The state of a run: its spec, its settings for the stories, and the outcome of each story."""

from collections.abc import Mapping
from enum import StrEnum

from shiftwork.domain.budget.amounts import Ledger
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import Commit, RunId, StoryId, Stream
from shiftwork.domain.memory.notes import Memory
from shiftwork.domain.notices.notice import NoticePlan, Noticing
from shiftwork.domain.proof.verdict import ProofStatus
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.spec.story_graph import Graph
from shiftwork.domain.story.state import FailureCause, LandingStage, StoryStatus
from shiftwork.domain.usage.forecast import Forecast
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.workflow import Workflow
from shiftwork.records import dataclass, field


class RunStatus(StrEnum):
    """The status of a run; `transitions` has the only table of changes."""

    PLANNED = "planned"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNDONE = "undone"


RUN_ENDED = frozenset({RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.UNDONE})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """Everything a run receives at its start and keeps to its end.

    `source` is the file that the spec was read from and that landed stories are marked in; empty if there is none. It
    is in the checkout where the run was started: `worktree` names that checkout, and is empty for the main checkout.
    `patterns` are what earlier runs have learnt about the code base. The cost forecast is None without data for it.
    `without_gates` are gates that the user has left out. `base_story` repairs gates that are red on the branch: no
    other story starts before it has landed. The run belongs to a `project`, and commands of other projects do not reach
    it. If `review` is set, a person approves each patch before it lands. `base` is the branch that the run was started
    from, if it is another one.

    Options that the user has `named` stay in force until the user names others; otherwise `agent`, `model` and
    `parallel` follow the settings when the run is resumed. If `model` is empty, the agent chooses. `trusted` are
    digests of what the user allowed the repository to run, for this run only. `settings` are the non-default settings
    at the start, each with its value as JSON; their gates are those that a person has last continued the run with.
    `context` are values that the user named for the prompts.

    If the run is `ordered`, its stories are worked on one after the other. That is only asked for if nobody wrote
    `parallel`, and is given up when the stories are known and one states a dependency. When an ordered story fails, the
    later ones do not start, unless the run is to `keep_going`.

    The stories of a run that only plans are written to `plan_file`, which they replace if `replaces_file` is set.
    """

    run: RunId
    spec: Spec
    workflow: Workflow
    branch: str
    landing: Stream
    agent: str
    limits: Limits = Limits()
    parallel: int = 1
    base: str = ""
    source: str = ""
    patterns: tuple[str, ...] = ()
    notices: NoticePlan = NoticePlan()
    proof: ProofPolicy = ProofPolicy.TRUSTING
    forecast: Forecast | None = None
    without_gates: tuple[str, ...] = ()
    base_story: StoryId = StoryId("")
    project: str = ""
    worktree: str = ""
    review: bool = False
    model: str = ""
    named: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    ordered: bool = False
    keep_going: bool = False
    context: tuple[tuple[str, str], ...] = ()
    plan_file: str = ""
    replaces_file: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryOutcome:
    """What the run knows about a story. `dispatched` counts how often it was started; the next start is from scratch or
    from the failed step, `because` of what a person said. `commit` has landed on top of `base`, with the status
    `proof`. `stale` says why its earlier work no longer counts.
    """

    status: StoryStatus = StoryStatus.UNCLAIMED
    dispatched: int = 0
    from_scratch: bool = False
    because: str = ""
    stale: str = ""
    commit: Commit = Commit("")
    base: Commit = Commit("")
    reason: str = ""
    cause: FailureCause | None = None
    usage: Usage = NOTHING_USED
    proof: ProofStatus | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """The revert of a landed story and its progress; `number` counts the reverts of the run from 1. `withdrawing` means
    that the run asked the queue to withdraw the request. A revert that landed has passed `gates`.
    """

    number: int
    landing: LandingStage = LandingStage.NONE
    withdrawing: bool = False
    commit: Commit = Commit("")
    gates: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecWriteback:
    """The stories that must still be marked in the spec's file, in the order of landing. After a failed try nothing is
    `due` until another story lands or the run is about to end.
    """

    unwritten: tuple[StoryId, ...] = ()
    due: bool = False
    tries: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The state of the run's own steps, if its workflow has any apart from the loop over the stories.

    The state counts how often they were started; `again` means that they must be started once more, `because` of what a
    person said. `round` counts how often the loop was opened; stories start while it is `open`.
    `context` has the values that the frame's steps and the stories have set so far.
    """

    starts: int = 0
    running: bool = False
    again: bool = False
    because: str = ""
    round: int = 0
    open: bool = False
    failure: str = ""
    context: tuple[tuple[str, str], ...] = ()
    usage: Usage = NOTHING_USED


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Derived from the stories, and updated with each fact so that a decision need not look at all of them."""

    unlanded: Mapping[StoryId, int] = field(default_factory=dict)  # how many dependencies each still waits for
    ready: tuple[StoryId, ...] = ()  # those that could start, the best first
    in_progress: Mapping[StoryId, int] = field(default_factory=dict)  # with the slot of each
    waiting: frozenset[StoryId] = frozenset()  # those in progress that wait for a person
    blocked: Mapping[StoryId, str] = field(default_factory=dict)  # with the reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """How many stories have completed or failed, and their cost as far as it is known."""

    completed: int = 0
    failed: int = 0
    spent: float | None = None  # by stories that have ended, without the `unpriced` attempts, whose cost is unknown
    unpriced: int = 0
    estimated: bool = False  # whether a part of `spent` was computed from tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """What users have asked for: which stories come first, what to cancel, pause or undo; and which stories have been
    notified. Of `dismissed` stories, their own history does not say so yet.
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
    dismissed: frozenset[StoryId] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Money and tokens; `raises` counts how often users have changed the limits."""

    ledger: Ledger = field(default_factory=Ledger)
    raises: int = 0
    unaware: frozenset[StoryId] = frozenset()  # stories in progress that have yet to be notified of the limits
    owing: frozenset[StoryId] = frozenset()  # stories that have yet to report their usage without a limit


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """The fold of a run's facts; `stories` keeps the order of the spec. Of a changed story, `filed` is what the spec's
    file said when it was last read.
    """

    plan: RunPlan | None = None
    status: RunStatus = RunStatus.PLANNED
    stories: Mapping[StoryId, StoryOutcome] = field(default_factory=dict)
    filed: Mapping[StoryId, Story] = field(default_factory=dict)
    graph: Graph = field(default_factory=Graph)
    cursor: int = 0  # how far its inbox is read
    endings: int = 0  # how often it has ended
    started_at: float | None = None
    ended_at: float | None = None

    schedule: Schedule = field(default_factory=Schedule)
    totals: Totals = Totals()
    requests: Requests = field(default_factory=Requests)
    spending: Spending = field(default_factory=Spending)
    writeback: SpecWriteback = SpecWriteback()
    frame: Frame = Frame()
    memory: Memory = Memory()
    noticing: Noticing = Noticing()

    @property
    def given(self) -> RunPlan:
        """The plan. Raises `LookupError` before the run has started."""
        if self.plan is None:
            raise LookupError("the run has not started")
        return self.plan

    def asked(self, story: StoryId) -> Story:
        """The story from the spec."""
        return self.given.spec.stories[self.graph.position[story]]
