"""What a run does outside of its state; each effect names itself by a key under which it is done once."""

from dataclasses import dataclass

from shiftwork.domain.budget.amounts import Amount, Reached
from shiftwork.domain.core.effect import Conclude, Effect
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.workflow.workflow import StepPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRun(Conclude):
    """Record that the run is over, and hear of what it has been asked for meanwhile: that may open it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchStory(Effect):
    """Have the story begun, for the first time or for another `go` from its failed step or `afresh`."""

    assignment: Assignment
    steps: tuple[StepPlan, ...]
    go: int = 1
    afresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseLoop(Effect):
    """Tell the run's own steps that no story is left to be worked on."""

    round: int
    landed: int
    failed: tuple[StoryId, ...]
    context: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardCancel(Effect):
    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardPause(Effect):
    story: StoryId
    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardLimits(Effect):
    """Tell a story which limits hold now."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestUndo(Effect):
    """Ask the landing queue for the revert of what a story has landed."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawUndo(Effect):
    """Take back the request for the revert of what a story has landed."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class RevertStory(Effect):
    """Tell a story that what it had landed has been taken back."""

    story: StoryId
    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class TickSpec(Effect):
    """Make the spec's file agree with what has become of these stories."""

    stories: tuple[StoryId, ...]
    final: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepMemory(Effect):
    """Have the run's notebook show what it remembers after that many changes."""

    changes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantAllowance(Effect):
    """Set an amount aside for a story's attempt, whose agent is told to stop at `cap`."""

    story: StoryId
    number: int
    amount: Amount
    cap: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseAllowance(Effect):
    """Tell a story that there is not enough for its attempt."""

    story: StoryId
    number: int
    detail: str
    reached: Reached
