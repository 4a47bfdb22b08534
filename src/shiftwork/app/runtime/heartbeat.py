"""The last sign of life that this process has given, and what it held then."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Beat:
    """By two clocks: one that is never set, and one that continues while the machine sleeps. `held` has the epoch of
    each lease; `takeovers` counts the leases that were taken.
    """

    ticked: float = float("-inf")
    at: float = float("-inf")
    held: Mapping[str, int] = field(default_factory=dict)
    takeovers: int = 0

    def taken(self) -> None:
        """A lease was just taken: its epoch is not known before the next sign of life, nor from one in progress."""
        self.takeovers += 1
        self.held = {}

    def given(self, ticks: float, now: float, held: Mapping[str, int], takeovers: int) -> None:
        """A sign of life was given; so many leases had been taken when it was begun."""
        self.ticked, self.at = ticks, now
        self.held = held if takeovers == self.takeovers else {}

    def age(self, ticks: float, now: float) -> float:
        """How old it may be; a clock that was put ahead makes it older than it is, which costs another one."""
        return max(ticks - self.ticked, now - self.at)
