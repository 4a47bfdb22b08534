"""A story's facts about its budget: what it claims from the run for an attempt, and the answer."""

from shiftwork.domain.budget.amounts import Reached
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StepId
from shiftwork.domain.usage.usage import Usage
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowanceClaimed(Fact):
    """The story asked the run to reserve an amount for its next attempt."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowanceGranted(Fact):
    """The attempt may begin; its agent must stop at `cap`."""

    number: int
    cap: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowanceRefused(Fact):
    """There is not enough left; the claim stays open until a person raises the limit."""

    number: int
    detail: str
    reached: Reached | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowanceSettled(Fact):
    """The story reported what the attempt used; with the number 0, what it used before the run had a limit."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsSet(Fact):
    """New limits apply from now on; limits that they do not name stay. They can only end a wait at a limit. The run
    continues `without_gates`; None leaves the gates as they were.

    `raises` counts how often the run had changed these by then, so that outdated messages are ignored.
    """

    limits: Limits
    raises: int = 0
    without_gates: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCutShort(Fact):
    """The agent stopped at its cost limit: its changes are kept as a diff and undone, and the step loses no retry."""

    step: StepId
    attempt: int
    usage: Usage
    diff: str
