"""The last sign of life that this process has given, and what it held then."""

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class Beat:
    """By two clocks: one that nobody sets, and one that goes on while the machine sleeps."""

    ticked: float = float("-inf")
    at: float = float("-inf")
    held: frozenset[str] = frozenset()

    def age(self, ticks: float, now: float) -> float:
        """How old it may be; a clock that was put ahead makes it older than it is, which costs another one."""
        return max(ticks - self.ticked, now - self.at)
