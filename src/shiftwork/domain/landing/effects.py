"""What a landing queue does outside of its state; each effect names itself by a key under which it is done once."""

from dataclasses import dataclass

from shiftwork.domain.core.effect import Effect
from shiftwork.domain.landing.state import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBatch(Effect):
    """Read the inbox after `cursor`, and build candidates of the first that wait, each on top of the one before."""

    cursor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCandidates(Effect):
    """Run the gates on these candidates, all at once."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveBase(Effect):
    """Move the base branch over these candidates, from what the first stands on to the last."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStories(Effect):
    """Tell the stories what became of their requests."""

    entries: tuple[Entry, ...]
