"""What a story does outside of its state; each effect names itself by a key under which it is done once."""

from dataclasses import dataclass

from shiftwork.domain.core.effect import Effect
from shiftwork.domain.core.ids import Commit, StepId
from shiftwork.domain.usage.usage import Usage


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
