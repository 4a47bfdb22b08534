"""A story's facts about money: what it claims of its run for an attempt, and what came of that."""

from dataclasses import dataclass

from shiftwork.domain.budget.amounts import Reached
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StepId
from shiftwork.domain.usage.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowanceClaimed(Fact):
    """The run was asked to set something aside for the story's next attempt."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowanceGranted(Fact):
    """The attempt may begin; its agent is told to stop at `cap`."""

    number: int
    cap: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowanceRefused(Fact):
    """There is not enough left; the claim stands until a person raises the limit."""

    number: int
    detail: str
    reached: Reached | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowanceSettled(Fact):
    """The run was told what the attempt has used; with the number 0, what was used before the run had a limit."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsSet(Fact):
    """Other limits hold from now on; what they say nothing about stays. They answer nothing but a wait at a limit.

    `raises` is how often the run's limits had been changed by then: news that comes late is not news.
    """

    limits: Limits
    raises: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCutShort(Fact):
    """The agent stopped at what it may cost: its changes are kept as a diff and undone, and none of the step's retries
    is spent.
    """

    step: StepId
    attempt: int
    usage: Usage
    diff: str
