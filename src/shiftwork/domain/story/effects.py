"""Effects of a story outside its state; each has a key and is performed once per key."""

from shiftwork.domain.core.effect import Effect
from shiftwork.domain.core.ids import Commit, StepId
from shiftwork.domain.usage.usage import Usage
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareWorkspace(Effect):
    """Create the story's workspace, its `number`th, at its last commit `head`, or at the branch if it has none."""

    number: int
    head: Commit
    base: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAgent(Effect):
    step: StepId
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunGates(Effect):
    """Run a gate step of the pipeline: the harness checks the work so far."""

    step: StepId
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeBase(Effect):
    """Merge what has landed since into the workspace, including conflict markers."""

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
    """Withdraw the request of this number."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseWorkspace(Effect):
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportWaiting(Effect):
    """Report to the run that the story waits for a person, or no longer does."""

    waiting: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitUntil(Effect):
    """Wait until an agent's limit ends or the story receives a message; `number` is the deferral."""

    until: float
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportStory(Effect):
    """Report to the run how the story ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimAllowance(Effect):
    """Ask the run to reserve an amount for the attempt at a step."""

    number: int
    step: StepId


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleAllowance(Effect):
    """Report to the run what the attempt used, or that there was no attempt and the reserved amount is `unused`."""

    number: int
    used: Usage | None
    unused: bool = False
