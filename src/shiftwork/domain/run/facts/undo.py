"""Facts about the revert of a story that has landed."""

from dataclasses import dataclass

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryUndoRequested(Fact):
    """A person asked that what a story has landed be taken back."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoPosted(Fact):
    """The revert of a story waits in the landing queue."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoLanded(Fact):
    """The revert is on the base, past these `gates`; the story itself does not know yet."""

    story: StoryId
    commit: Commit
    gates: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryUndone(Fact):
    """What the story had landed is no longer there; it may be retried. The revert has passed these `gates`."""

    story: StoryId
    gates: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoRefused(Fact):
    """What the story has landed stays."""

    story: StoryId
    reason: str
