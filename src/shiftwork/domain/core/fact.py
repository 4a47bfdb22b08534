"""Facts: what happened, in the past tense; only facts are stored, and only facts change a state."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """The root of all facts; `at` is when it happened, in seconds since the epoch, told by whoever performed it."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagesRead(Fact):
    """The inbox of the stream has been read up to and including a position."""

    upto: int
