"""Waiting for a limit of an agent's to end: what is known of one wait, and how long anybody is willing to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Nothing is begun for the story before `until`; `reason` is what the agent said."""

    until: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """No limit is waited for longer than `longest_seconds` at a time, whatever an agent says about its end, and no step
    goes on waiting when it has met one more often than `times`. Before the end that was told a limit is there to be
    met: that says nothing new and is not counted, within `whole_seconds` of the telling.
    """

    longest_seconds: float = 6 * 3600
    times: int = 20

    @property
    def whole_seconds(self) -> float:
        return self.longest_seconds * self.times
