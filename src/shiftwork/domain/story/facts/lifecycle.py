"""Facts about a story as a whole: its start, holds, pauses and end."""

from shiftwork.domain.budget.amounts import Reached
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.story.state import FailureCause, HoldCause
from shiftwork.domain.workflow.workflow import StepPlan
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryStarted(Fact):
    assignment: Assignment
    steps: tuple[StepPlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReopened(Fact):
    """A retry of a failed or undone story: from the failed step, or from scratch with these steps at the tip of the
    branch. Messages up to `cursor` belong to the previous try. `because` is what the person said.
    """

    assignment: Assignment
    steps: tuple[StepPlan, ...]
    from_scratch: bool
    cursor: int
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReverted(Fact):
    """The story's landed work is no longer on the base: `commit` reverted it."""

    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryMissed(Fact):
    """The story's landed work is no longer found on its branch, and `reason` says what was looked for. With an empty
    reason, it is found again.
    """

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDismissed(Fact):
    """The story had failed, and a person does not want it any more: it counts as cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryPaused(Fact):
    """The run is paused: the story starts no further attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryUnpaused(Fact):
    """The run continues, and so does the story."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryHeld(Fact):
    cause: HoldCause
    detail: str
    reached: Reached | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReleased(Fact):
    """A person answered: if `granted`, the story continues. The effect of a refusal depends on the question. `hold` is
    the number of the answered wait; 0 means the current wait.
    """

    granted: bool
    answer: str
    hold: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingReported(Fact):
    """The story reported to the run that it waits for a person, or no longer does."""

    waiting: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryCancelRequested(Fact):
    """A person cancelled the story or its run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryCompleted(Fact):
    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryFailed(Fact):
    cause: FailureCause
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReported(Fact):
    """The story reported its end to the run."""
