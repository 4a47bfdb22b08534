"""Effects: what to do outside, in the imperative; each names itself by a key under which it is done once."""

from dataclasses import dataclass

from shiftwork.domain.model.budget import Amount, Reached
from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.ids import Commit, StepId, StoryId
from shiftwork.domain.model.notices import Occasion
from shiftwork.domain.model.queue import Entry
from shiftwork.domain.model.story import Assignment
from shiftwork.domain.model.usage import Usage
from shiftwork.domain.model.workflow import StepPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The root of all effects. `key` is unique within the stream whose decision asked for it."""

    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclude(Effect):
    """Record what follows from the state alone; nothing outside is touched. `at` in the facts is filled in."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Receive(Effect):
    """Take messages from the stream's inbox after `cursor`; where there are none yet, wait for one."""

    cursor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Notify(Effect):
    """Tell people by these channels of what has come, as the `nth` try; `number` is the notice's in its stream."""

    number: int
    nth: int
    occasion: Occasion
    channels: tuple[str, ...]


# A run's -------------------------------------------------------------------------------------------------------


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


# A story's -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareWorkspace(Effect):
    """Lay out workspace `number` at `head`, or at the tip of the branch when there is no work yet."""

    number: int
    head: Commit
    base: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAgent(Effect):
    step: StepId
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunGates(Effect):
    """A gate step of the pipeline: the harness checks the work so far."""

    step: StepId
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeBase(Effect):
    """Bring what has landed since into the workspace, conflict markers and all."""

    base: Commit
    head: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenLoop(Effect):
    """Let the run's stories start."""

    step: StepId
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLanding(Effect):
    number: int
    tip: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawLanding(Effect):
    """Take back the request of this number."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseWorkspace(Effect):
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TellWaiting(Effect):
    """Tell the run that the story waits for a person, or that it does so no longer."""

    waiting: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitUntil(Effect):
    """Let time pass until an agent's limit has ended, or something is said to the story; `number` is the deferral."""

    until: float
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportStory(Effect):
    """Tell the run how the story ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimAllowance(Effect):
    """Ask the run to set something aside for the attempt at a step."""

    number: int
    step: StepId


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleAllowance(Effect):
    """Tell the run what the attempt has used; or that there is none, and what was set aside for it is `unused`."""

    number: int
    used: Usage | None
    unused: bool = False


# A landing queue's ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBatch(Effect):
    """Read the inbox after `cursor`, and build candidates of the first that wait, each on top of the one before."""

    cursor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCandidates(Effect):
    """Run the gates on these candidates, all at once."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveBase(Effect):
    """Move the base branch over these candidates, from what the first stands on to the last."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStories(Effect):
    """Tell the stories what became of their requests."""

    entries: tuple[Entry, ...]
