"""The states of work, and what it has used and may use: parts of several documents."""

from enum import StrEnum
from typing import Any, Final

from shiftwork.app.runtime import state_labels
from shiftwork.records import dataclass


class State(StrEnum):
    """The one list of states, of runs, stories and steps alike."""

    QUEUED = "queued"
    BLOCKED = "blocked"
    WORKING = "working"
    WAITING = "waiting"
    LIMITED = "limited"
    STUCK = "stuck"
    PAUSED = "paused"
    INTERRUPTED = "interrupted"
    DONE = "done"
    LANDED = "landed"
    PROVED = "proved"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    UNDOING = "undoing"
    UNDONE = "undone"
    MISSING = "missing"


_WORDS: Final = {
    "needs you": "waiting",
    "stopped": "interrupted",
    "pending": "queued",
    "planned": "queued",
    "no longer found": "missing",
}
"""The states whose words for people differ."""


def state_of(status: str, **known: Any) -> State:
    """The state of a recorded status; `known` is what `state_labels.word` takes besides."""
    word = state_labels.word(status, **known)
    return State(_WORDS.get(word, word))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What agents have cost; null is unknown. With `unpriced` attempts, the value is a lower bound."""

    cost_usd: float | None
    estimated: bool
    unpriced: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Used(Cost):
    """What agents have used; null is unknown. With `uncounted` attempts, the values are lower bounds."""

    tries: int
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    uncounted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentUse(Used):
    agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse(Used):
    model: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Null means no limit."""

    cost_usd: float | None
    tokens: int | None
    sessions: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSet:
    """The limits of the run, of each story and of each step."""

    of_run: Limit
    of_story: Limit
    of_step: Limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The cost that was estimated from `known_stories` earlier stories, and how the cost so far compares."""

    low_usd: float
    high_usd: float
    known_stories: int
    verdict: str
