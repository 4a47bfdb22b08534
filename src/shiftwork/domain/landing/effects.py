"""Effects of a landing queue; each has a key under which it is performed once."""

from shiftwork.domain.core.effect import Effect
from shiftwork.domain.landing.state import Entry
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBatch(Effect):
    """Read the inbox after `cursor`, and build candidates of the first waiting entries, each on top of the previous, or
    of the last candidate of the batch in progress.
    """

    cursor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCandidates(Effect):
    """Run the gates on these candidates, in parallel, until enough is known to decide again. Gates that run then go on
    beside the next effects, and the next check of the same candidate waits for them.
    """

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveBase(Effect):
    """Move the base branch over these candidates, from the base of the first to the last."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStories(Effect):
    """Report the result of their requests to the stories."""

    entries: tuple[Entry, ...]
