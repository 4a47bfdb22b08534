"""Facts of a run: what became of its stories, and what people asked of it."""

from dataclasses import dataclass

from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.ids import Commit, StoryId
from shiftwork.domain.model.run import RunPlan, RunStatus
from shiftwork.domain.model.story import FailureCause, StoryStatus
from shiftwork.domain.model.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Fact):
    plan: RunPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryAdopted(Fact):
    """The spec says that the story had landed before: it counts as completed and is not worked on."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDispatched(Fact):
    """A story was given its job, and a slot that no other story of the run holds while it is in progress."""

    story: StoryId
    slot: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEnded(Fact):
    """A story's job told the run how it ended."""

    story: StoryId
    status: StoryStatus
    commit: Commit
    reason: str
    cause: FailureCause | None
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRetryRequested(Fact):
    """A person asked for another go at a story that failed: from the step that failed, or `afresh` from its first."""

    story: StoryId
    afresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecTicked(Fact):
    """The spec's file now says of these stories what has become of them."""

    stories: tuple[StoryId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecTickFailed(Fact):
    """The spec's file could not be written to; unless this was the `final` try, that is done with what lands next."""

    stories: tuple[StoryId, ...]
    reason: str
    final: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequested(Fact):
    """A person asked for the end of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelForwarded(Fact):
    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(Fact):
    status: RunStatus
