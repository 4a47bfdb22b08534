"""The last heartbeat of this process, and the leases that it held then."""

from collections.abc import Mapping

from shiftwork.records import dataclass, field


@dataclass(slots=True, kw_only=True)
class Heartbeat:
    """Measured by two clocks: a clock that is never set, and a clock that continues while the machine sleeps. `held`
    has the epoch of each lease; `takeovers` counts the leases that were taken.
    """

    marked: float = float("-inf")
    at: float = float("-inf")
    held: Mapping[str, int] = field(default_factory=dict)
    takeovers: int = 0

    def taken(self) -> None:
        """A lease was just taken: its epoch is unknown until the next heartbeat; one in progress does not have it."""
        self.takeovers += 1
        self.held = {}

    def given(self, mark_edits: float, now: float, held: Mapping[str, int], takeovers: int) -> None:
        """A heartbeat was sent; `takeovers` is the number of leases taken when it started."""
        self.marked, self.at = mark_edits, now
        self.held = held if takeovers == self.takeovers else {}

    def age(self, mark_edits: float, now: float) -> float:
        """Its maximum age; a clock that was set forward makes it seem older, which only costs another heartbeat."""
        return max(mark_edits - self.marked, now - self.at)
