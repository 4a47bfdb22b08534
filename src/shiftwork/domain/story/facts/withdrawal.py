"""Facts of a cancelled or paused story that withdraws its landing request. A cancelled run records the first of them
for a revert, too.
"""

from shiftwork.domain.core.fact import Fact
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingWithdrawalAsked(Fact):
    """The landing queue was asked; until it answers, the story, or the revert, may still land."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingWithdrawn(Fact):
    """The request has left the queue: its work never lands."""

    number: int
