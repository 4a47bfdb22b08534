"""Facts: what happened, in the past tense. Only facts are stored, and only facts change a state."""

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """The base class of all facts. `at` is when it happened, in seconds since the epoch, reported by its performer."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagesRead(Fact):
    """The stream's inbox has been read up to and including a position."""

    upto: int
