"""Facts about the revert of a story that has landed."""

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryUndoRequested(Fact):
    """A person asked to revert a landed story."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoPosted(Fact):
    """The revert of a story is in the landing queue."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoLanded(Fact):
    """The revert has landed after passing these `gates`; the story has not been notified yet."""

    story: StoryId
    commit: Commit
    gates: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryUndone(Fact):
    """The story's landed work is reverted; the story may be retried. The revert has passed these `gates`."""

    story: StoryId
    gates: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoRefused(Fact):
    """The revert was refused: the story's landed work stays."""

    story: StoryId
    reason: str
