"""The clock, and chance: the two things that make two runs of the same code differ."""

from typing import Protocol


class Clock(Protocol):
    """Where time and fresh names come from."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def fresh(self) -> str:
        """A short name that nobody else has: lower-case letters and digits, sorting by time of making."""
        ...
