"""Effects: what to do outside, in the imperative; each names itself by a key under which it is done once."""

from dataclasses import dataclass

from shiftwork.domain.core.fact import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The root of all effects. `key` is unique within the stream whose decision asked for it."""

    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclude(Effect):
    """Record what follows from the state alone; nothing outside is touched. `at` in the facts is filled in."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Receive(Effect):
    """Take messages from the stream's inbox after `cursor`; where there are none yet, wait for one."""

    cursor: int
