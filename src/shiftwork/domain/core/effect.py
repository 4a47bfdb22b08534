"""Effects: actions outside the state, named in the imperative; each has a key under which it is performed once."""

from shiftwork.domain.core.fact import Fact
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An action on the outside world that a decision requests. `key` is unique among those of a run or a story."""

    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclude(Effect):
    """Record what follows from the state alone; nothing outside changes. The recorder fills in `at` of the facts."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Receive(Effect):
    """Read messages from the stream's inbox after `cursor`; where there are none yet, wait for the next."""

    cursor: int
