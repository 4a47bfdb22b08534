"""Waiting: for an agent's rate limit to end, the bounds on such waits, and what was waited for so far."""

from enum import StrEnum

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Nothing starts for the story before `until`; `reason` is what the agent reported."""

    until: float
    reason: str


class Awaited(StrEnum):
    """What an idle story waits for."""

    PERSON = "person"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """A period in which a story only waited; it has no `until` while the wait lasts."""

    awaited: Awaited
    since: float
    until: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """No wait for a limit is longer than `longest_seconds`, whatever end the agent reports, and a step stops waiting
    after it has hit more than `times` limits. Hitting a limit again before its reported end is expected and is not
    counted, within `whole_seconds` of the report.
    """

    longest_seconds: float = 6 * 3600
    times: int = 20

    @property
    def whole_seconds(self) -> float:
        return self.longest_seconds * self.times
