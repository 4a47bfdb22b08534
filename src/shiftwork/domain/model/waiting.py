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
    more often than `times`.
    """

    longest_seconds: float = 6 * 3600
    times: int = 20
