"""A story's facts about rate limits of its agents: a limit was reached, and the wait for its end is over."""

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StepId
from shiftwork.domain.usage.usage import Usage
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDeferred(Fact):
    """A rate limit of the agent ended the attempt: its changes are kept as a diff and undone, and the step loses no
    retry. The profile `agent` is limited until `resets_at`; the next attempt starts at `until`, or immediately if
    another profile is available. Until `promised`, the end that the agent reported, the step expects to reach a limit
    again.
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
    """The wait for a rate limit is over; `number` is the deferral that caused it."""

    number: int
