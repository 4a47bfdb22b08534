"""Waiting: for a limit of an agent's to end and how long anybody is willing to, and what has been waited for so far."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Nothing is begun for the story before `until`; `reason` is what the agent said."""

    until: float
    reason: str


class Awaited(StrEnum):
    """What a story that does nothing waits for."""

    PERSON = "person"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """From when to when a story has done nothing but wait; there is no `until` while it does."""

    awaited: Awaited
    since: float
    until: float | None = None


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
