"""The records of runs, their stories and their steps; `run_documents` makes them."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from shiftwork.app.views.documents.document import Document, Time
from shiftwork.app.views.documents.gate_records import OwedGateLine
from shiftwork.app.views.documents.usage_records import AgentUse, Cost, Estimate, LimitSet, ModelUse, State, Used
from shiftwork.app.views.run_views import Activity, StoryActivity
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """The process that works on a run."""

    executor: str
    host: str
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Files that no story asked for and that would run on the user's machine later: their patch, and how to apply
    it.
    """

    patch_file: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two stories in progress that will not merge, and the files concerned."""

    between: Sequence[str]
    files: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Used):
    """`started_at` and `ended_at` are of the last attempt; `duration_seconds` is the total of all ended attempts."""

    run: str
    story: str
    step: str
    position: int
    name: str
    type: str
    kind: str
    status: str
    state: State
    description: str
    attempts: int
    restarts: int
    notes: str
    error: str
    skip_reason: str
    started_at: Time | None
    ended_at: Time | None
    duration_seconds: float | None
    log: str
    agent: str
    model: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryFields(Used):
    """A story without its steps. `step` is the current step; `hold` is the kind of answer that a person must give."""

    run: str
    story: str
    position: int
    title: str
    status: str
    state: State
    activity: StoryActivity | None
    step: str | None
    step_name: str
    depends_on: Sequence[str]
    started_at: Time | None
    ended_at: Time | None
    waited_for_you_seconds: float
    waited_for_limits_seconds: float
    failure: str
    failure_line: str
    failure_log: str
    cause: str
    landing: str
    commit: str
    ref: str
    refusal: str
    tests: str
    hold: str
    waiting: str
    question: str
    choices: Sequence[str]
    until: Time | None
    undelivered: str
    limit_of: str
    limit_usd: float | None
    limit_tokens: int | None
    limit_sessions: int | None
    limit_spent_usd: float | None
    limit_spent_tokens: int | None
    limit_spent_sessions: int | None
    limit_needed_usd: float | None
    limit_needed_tokens: int | None
    proof: str
    proof_remark: str
    criteria_shown: int
    criteria_total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Story(StoryFields, Document):
    """A story with its steps."""

    SCHEMA: ClassVar[str] = "story"

    steps: Sequence[Step]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryLine(StoryFields):
    """`waits_for` are the stories that must land before this one starts."""

    waits_for: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stories(Document):
    """The stories of a run, in the order of the spec."""

    SCHEMA: ClassVar[str] = "stories"

    run: str
    stories: Sequence[StoryLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStories:
    """Stories of one of several runs."""

    run: str
    title: str
    stories: Sequence[StoryLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoriesOfRuns(Document):
    """The stories of all unfinished runs, newest run first."""

    SCHEMA: ClassVar[str] = "stories-of-runs"

    runs: Sequence[RunStories]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFields(Cost):
    """A run without its stories."""

    run: str
    title: str
    status: str
    state: State
    activity: Activity
    workflow: str
    agent: str
    branch: str
    project: str
    archived: str
    options: Mapping[str, Any]
    without_gates: Sequence[str]
    undoing: Sequence[str]
    undelivered: str
    story_count: int
    completed_count: int
    failed_count: int
    started_at: Time | None
    ended_at: Time | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine(RunFields):
    """A run in a list. Its cost is that of its ended stories; `max_cost_usd` is its limit."""

    max_cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs(Document):
    """Runs, newest first."""

    SCHEMA: ClassVar[str] = "runs"

    runs: Sequence[RunLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetails(RunFields):
    """A run with its stories. `left_running` are processes of an ended worker; `refused` is why it was not
    continued the last time, if a user or the server tried to.
    """

    tries: int
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    uncounted: int
    worker: Worker | None
    waited_for_you_seconds: float
    waited_for_limits_seconds: float
    agents: Sequence[AgentUse]
    models: Sequence[ModelUse]
    estimate: Estimate | None
    limits: LimitSet
    stories_by_proof: Mapping[str, Sequence[str]]
    stories: Sequence[Story]
    left_out: LeftOut | None = None
    conflicts: Sequence[Conflict] = ()
    left_running: int = 0
    refused: str = ""
    owed_gates: Sequence[OwedGateLine] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(RunDetails, Document):
    """A run with its stories and their steps."""

    SCHEMA: ClassVar[str] = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(RunDetails, Document):
    """The last line of a stream: the run when this process stops working on it, why it stops, and the exit code.
    `diffs` is the folder with what abandoned attempts had changed; `folder` is the repository of a demo that is kept.
    """

    SCHEMA: ClassVar[str] = "result"

    kind: Literal["result"] = "result"
    stop: str
    exit_code: int
    diffs: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancellation(RunDetails, Document):
    """A run that was cancelled; `landed_meanwhile` are the stories for which it was too late."""

    SCHEMA: ClassVar[str] = "cancellation"

    landed_meanwhile: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyResult(Document):
    """The last line of a stream without a run: there was nothing to do, or it was interrupted before its start."""

    SCHEMA: ClassVar[str] = "result"

    kind: Literal["result"] = "result"
    run: None = None
    stop: str
    exit_code: int
