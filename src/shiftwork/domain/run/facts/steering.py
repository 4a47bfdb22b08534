"""Facts about what users ask of a run while it is in progress."""

from dataclasses import dataclass

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Story


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRetryRequested(Fact):
    """A person asked for another go at a story that failed: from the step that failed, or `afresh` from its first.
    `limits` are new ones of the run, which hold if the story has its go and not otherwise.
    """

    story: StoryId
    afresh: bool = False
    limits: Limits | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryCancellationRequested(Fact):
    """A person asked for the end of one story."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryAdded(Fact):
    """A person asked for one story more."""

    story: Story


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEdited(Fact):
    """A person changed what is asked of a story that nobody works on."""

    story: Story


@dataclass(frozen=True, slots=True, kw_only=True)
class StoriesReordered(Fact):
    """A person asked for these to start before all others, in this order, as soon as they can."""

    stories: tuple[StoryId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPaused(Fact):
    """A person asked that nothing be begun until they say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunUnpaused(Fact):
    """A person asked that the run go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseForwarded(Fact):
    """A story in flight has been told that the run is paused, or that it no longer is."""

    story: StoryId
    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequested(Fact):
    """A person asked for the end of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelForwarded(Fact):
    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionsChanged(Fact):
    """Other options are in force: each field is one of the plan's, and stays where it is None. A person has `named`
    these; the others follow the settings.
    """

    named: tuple[str, ...] = ()
    agent: str | None = None
    model: str | None = None
    parallel: int | None = None
    trusted: tuple[str, ...] | None = None
