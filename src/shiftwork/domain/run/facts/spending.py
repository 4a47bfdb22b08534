"""Facts about what a run may spend and has spent."""

from dataclasses import dataclass

from shiftwork.domain.budget.amounts import Amount
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.usage.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowanceAsked(Fact):
    """A story is about to begin an attempt of this kind; a `bounded` one stops at what is set aside for it."""

    story: StoryId
    number: int
    kind: str
    bounded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountReserved(Fact):
    """Set aside before the attempt begins."""

    story: StoryId
    number: int
    amount: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortageTold(Fact):
    """The story knows that there is not enough for its attempt."""

    story: StoryId
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptSettled(Fact):
    """What the attempt used; nothing is known of it where `used` is empty. With the number 0 it is what the story had
    used before it heard of a limit of the run. Where what was set aside is `unused`, the attempt was not made.
    """

    story: StoryId
    number: int
    used: Usage | None
    unused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsRaised(Fact):
    """A person set other limits; what they say nothing about stays."""

    limits: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsForwarded(Fact):
    """A story in flight has been told which limits hold now."""

    story: StoryId
