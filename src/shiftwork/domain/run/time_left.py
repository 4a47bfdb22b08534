"""How long the rest of a run may take, from what its stories have taken so far."""

from collections.abc import Sequence
from typing import Final

from shiftwork.records import dataclass

_FEWEST: Final = 2
"""How many stories must have landed: one alone may be the smallest or the largest."""

_NEARLY: Final = 0.1
"""The part of the usual time that is left of a story which has already taken longer than that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The seconds that landed stories took, those that stories in progress have taken, how many stories are queued,
    and how many are worked on at once.
    """

    took: Sequence[float]
    spent: Sequence[float]
    queued: int
    slots: int


def time_left(pace: Pace) -> float | None:
    """Seconds; None if too few stories have landed, nothing is left, or all that is left takes longer than usual, so
    that no estimate would change. Dependencies between stories may make it longer.
    """
    if len(pace.took) < _FEWEST or not (pace.spent or pace.queued):
        return None
    ordered, middle = sorted(pace.took), len(pace.took) // 2
    usual = (ordered[middle] + ordered[~middle]) / 2  # the median; importing `statistics` is a tenth of `status`
    if not pace.queued and all(spent > usual for spent in pace.spent):
        return None
    ahead = [max(usual - spent, usual * _NEARLY) for spent in pace.spent] + [usual] * pace.queued
    return max(sum(ahead) / pace.slots, *ahead)
