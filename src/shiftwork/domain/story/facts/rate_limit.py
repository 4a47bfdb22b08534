"""A story's facts about limits of its agents: that one stood in the way, and that the wait for its end is over."""

from dataclasses import dataclass

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StepId
from shiftwork.domain.usage.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDeferred(Fact):
    """A limit of the agent's ended the attempt: its changes are kept as a diff and undone, and none of the step's
    retries is spent. The profile `agent` is limited until `resets_at`; the next attempt is made at `until`, which is
    at once where another profile can make it. Until `promised`, which is what the agent has told of the end, the step
    is bound to meet a limit again.
    """

    step: StepId
    attempt: int
    agent: str
    resets_at: float
    until: float
    reason: str
    usage: Usage
    diff: str
    promised: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitEnded(Fact):
    """The time that the story has waited for has come; `number` is the deferral that the wait was for."""

    number: int
