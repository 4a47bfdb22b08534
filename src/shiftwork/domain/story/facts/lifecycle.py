"""Facts about a story as a whole: its start, holds, pauses and end."""

from dataclasses import dataclass

from shiftwork.domain.budget.amounts import Reached
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.story.state import FailureCause, HoldCause
from shiftwork.domain.workflow.workflow import StepPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryStarted(Fact):
    assignment: Assignment
    steps: tuple[StepPlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReopened(Fact):
    """Another go at a story that had failed: from the step that failed, or `afresh` through these steps from the tip of
    the branch. Mail up to `cursor` was for the go before.
    """

    assignment: Assignment
    steps: tuple[StepPlan, ...]
    afresh: bool
    cursor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReverted(Fact):
    """What the story had landed is no longer on the base: `commit` took it back."""

    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryPaused(Fact):
    """The run is paused: no further attempt is begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryUnpaused(Fact):
    """The run goes on, and so does the story."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryHeld(Fact):
    cause: HoldCause
    detail: str
    reached: Reached | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReleased(Fact):
    """A person answered: `granted` goes on. What a refusal does depends on what was asked. `hold` is the number of the
    wait that is answered; 0 is whichever there is.
    """

    granted: bool
    answer: str
    hold: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingTold(Fact):
    """The run knows now that the story waits for a person, or that it does so no longer."""

    waiting: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryCancelRequested(Fact):
    """A person asked for the end of the story, or of its run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryCompleted(Fact):
    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryFailed(Fact):
    cause: FailureCause
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReported(Fact):
    """The run has been told how the story ended."""
