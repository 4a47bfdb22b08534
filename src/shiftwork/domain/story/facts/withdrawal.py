"""Facts of a story that takes back its request to land, because somebody has cancelled or paused it; the first of them
also of a run that is cancelled, about a revert.
"""

from dataclasses import dataclass

from shiftwork.domain.core.fact import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingWithdrawalAsked(Fact):
    """The landing queue has been told; until it answers, the story, or the revert, may land nevertheless."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingWithdrawn(Fact):
    """The request has left the queue: what it asked for never lands."""

    number: int
