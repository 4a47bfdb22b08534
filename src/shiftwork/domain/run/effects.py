"""Effects of a run outside its state; each has a key and is performed once per key."""

from shiftwork.domain.budget.amounts import Amount, Reached
from shiftwork.domain.core.effect import Conclude, Effect
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.workflow.workflow import StepPlan
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRun(Conclude):
    """Record the end of the run, and read the requests that arrived meanwhile: they may reopen it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchStory(Effect):
    """Start the story for the first time, or retry it from its failed step or from scratch."""

    assignment: Assignment
    steps: tuple[StepPlan, ...]
    start_number: int = 1
    from_scratch: bool = False
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseLoop(Effect):
    """Report to the run's own steps that no story is left to work on."""

    round: int
    landed: int
    failed: tuple[StoryId, ...]
    context: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardCancel(Effect):
    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardDismissal(Effect):
    """Record in a failed story that a person dismissed it."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardPause(Effect):
    story: StoryId
    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardLimits(Effect):
    """Send the current limits to a story, and which gates the run continues without."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestUndo(Effect):
    """Ask the landing queue to revert a landed story."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawUndo(Effect):
    """Withdraw the request to revert a landed story."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class RevertStory(Effect):
    """Notify a story that its landed work has been reverted."""

    story: StoryId
    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateSpec(Effect):
    """Update the status of these stories in the spec's file."""

    stories: tuple[StoryId, ...]
    final: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepMemory(Effect):
    """Write the run's memory after that many changes to its notebook."""

    changes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantAllowance(Effect):
    """Reserve an amount for a story's attempt; its agent must stop at `cap`."""

    story: StoryId
    number: int
    amount: Amount
    cap: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseAllowance(Effect):
    """Report to a story that not enough is left for its attempt."""

    story: StoryId
    number: int
    detail: str
    reached: Reached
