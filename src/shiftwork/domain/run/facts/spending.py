"""Facts about what a run may spend and has spent."""

from shiftwork.domain.budget.amounts import Amount
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.usage.usage import Usage
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowanceAsked(Fact):
    """A story is about to begin an attempt of this kind; a `bounded` attempt stops at its reserved amount."""

    story: StoryId
    number: int
    kind: str
    bounded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountReserved(Fact):
    """The run reserved an amount before the attempt begins."""

    story: StoryId
    number: int
    amount: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortageReported(Fact):
    """The run reported to the story that not enough is left for its attempt."""

    story: StoryId
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptSettled(Fact):
    """What the attempt used; unknown if `used` is None. With the number 0, it is what the story used before it received
    a limit of the run. If the reserved amount is `unused`, there was no attempt.
    """

    story: StoryId
    number: int
    used: Usage | None
    unused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsRaised(Fact):
    """A person set new limits; limits that they did not name stay."""

    limits: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsForwarded(Fact):
    """The run sent the current limits, and which gates it continues without, to a story in progress."""

    story: StoryId
