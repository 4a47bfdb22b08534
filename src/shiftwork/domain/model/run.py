"""Where a run stands: its spec, its settings for the stories, and what has become of each of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from shiftwork.domain.model.ids import Commit, RunId, StoryId, Stream
from shiftwork.domain.model.spec import Spec
from shiftwork.domain.model.story import FailureCause, Limits, StoryStatus
from shiftwork.domain.model.usage import NOTHING_USED, Usage
from shiftwork.domain.model.workflow import Workflow


class RunStatus(StrEnum):
    """Where a run stands; `machine` holds the only table of changes."""

    PLANNED = "planned"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


RUN_ENDED = frozenset({RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """Everything a run is given at its start and keeps to its end."""

    run: RunId
    spec: Spec
    workflow: Workflow
    branch: str
    landing: Stream
    agent: str
    limits: Limits = Limits()
    parallel: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryOutcome:
    """What the run knows of one story."""

    status: StoryStatus = StoryStatus.UNCLAIMED
    commit: Commit = Commit("")
    reason: str = ""
    cause: FailureCause | None = None
    usage: Usage = NOTHING_USED


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """The fold of a run's facts; `stories` keeps the order of the spec."""

    plan: RunPlan | None = None
    status: RunStatus = RunStatus.PLANNED
    stories: Mapping[StoryId, StoryOutcome] = field(default_factory=dict)
    cancelling: bool = False
    cancelled_stories: frozenset[StoryId] = frozenset()
    cursor: int = 0
    started_at: float | None = None
    ended_at: float | None = None

    @property
    def given(self) -> RunPlan:
        """The plan; asking before the run has started is a mistake of the caller's."""
        if self.plan is None:
            raise LookupError("the run has not started")
        return self.plan
