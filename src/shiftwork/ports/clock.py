"""The clock and random names: the two sources of difference between two runs of the same code."""

from typing import Protocol


class Clock(Protocol):
    """Provides the time and unique names."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def elapsed(self) -> float:
        """Seconds since some moment before: never set back, so it measures durations."""
        ...

    def fresh(self) -> str:
        """A short unique name: lower-case letters and digits, sorted by creation time."""
        ...
