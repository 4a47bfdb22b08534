"""Facts about what users ask of a run while it is in progress."""

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Story
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRetryRequested(Fact):
    """A person asked to retry a story: from the failed step, or from scratch. `limits` are new limits of the run; they
    apply only if the retry is accepted. `because` is for the next attempts. If the story's landed work is
    `missing` on the branch, the story has not landed after all.
    """

    story: StoryId
    from_scratch: bool = False
    limits: Limits | None = None
    because: str = ""
    missing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryCancellationRequested(Fact):
    """A person cancelled a story."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDismissalRequested(Fact):
    """A person does not want a story any more that has failed: from now on it counts as cancelled."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissalForwarded(Fact):
    """The run has recorded in the history of a failed story that a person dismissed it."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryAdded(Fact):
    """A person added a story."""

    story: Story


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEdited(Fact):
    """A person changed a story that is not in progress: in the run, or in the spec's file, from which it was read
    again.
    """

    story: Story
    from_file: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoriesReordered(Fact):
    """A person asked that these stories start before all others, in this order, as soon as they can."""

    stories: tuple[StoryId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPaused(Fact):
    """A person paused the run: nothing starts until they resume it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunUnpaused(Fact):
    """A person resumed the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseForwarded(Fact):
    """The run reported to a story in progress that the run is paused, or no longer is."""

    story: StoryId
    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequested(Fact):
    """A person cancelled the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelForwarded(Fact):
    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionsChanged(Fact):
    """New options apply: each field is a field of the plan, and None leaves it unchanged. A person has set the `named`
    options; the others follow the settings. `settings` are given where a person continued the run with other gates.
    """

    named: tuple[str, ...] = ()
    agent: str | None = None
    model: str | None = None
    parallel: int | None = None
    keep_going: bool | None = None
    trusted: tuple[str, ...] | None = None
    without_gates: tuple[str, ...] | None = None
    settings: tuple[tuple[str, str], ...] | None = None
