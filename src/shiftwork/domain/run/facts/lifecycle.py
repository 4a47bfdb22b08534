"""Facts of a run: what became of its stories, and what people asked of it."""

from dataclasses import dataclass

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.memory.notes import Learnt, Scope
from shiftwork.domain.proof.verdict import ProofStatus
from shiftwork.domain.run.state import RunPlan, RunStatus
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED, Usage


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
class StoryWaits(Fact):
    """A story waits for a person, or does so no longer: meanwhile another may use its place."""

    story: StoryId
    waiting: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEnded(Fact):
    """A story's job told the run how it ended and, where it landed, what it has learnt and how far it is proved. Of its
    `usage` the run has not heard yet of what is `unbooked`.
    """

    story: StoryId
    status: StoryStatus
    commit: Commit
    reason: str
    cause: FailureCause | None
    usage: Usage
    learnt: Learnt | None = None
    context: tuple[tuple[str, str], ...] = ()
    base: Commit = Commit("")
    unbooked: Usage = NOTHING_USED
    proof: ProofStatus | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteShared(Fact):
    """A story left a note that is not for itself alone."""

    story: StoryId
    scope: Scope
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryKept(Fact):
    """The run's notebook shows its memory after that many changes; `reason` says why it does not, where it could not be
    written: that is tried again with the next change.
    """

    changes: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecTicked(Fact):
    """The spec's file now says of these stories what has become of them: `cleared` are those that it no longer counts
    as done, because they were undone. The `missing` ones do not stand in it: they were added by hand, or taken out.
    """

    stories: tuple[StoryId, ...]
    cleared: tuple[StoryId, ...] = ()
    missing: tuple[StoryId, ...] = ()

    @property
    def ticked(self) -> tuple[StoryId, ...]:
        """Those that it counts as done."""
        return tuple(story for story in self.stories if story not in {*self.cleared, *self.missing})


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecTickFailed(Fact):
    """The spec's file could not be written to; unless this was the `final` try, that is done with what lands next."""

    stories: tuple[StoryId, ...]
    reason: str
    final: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameBegun(Fact):
    """The run's own steps were given their job, for the `go`th time."""

    go: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopOpened(Fact):
    """The run's own steps have come to the stories: these, where a step has planned them, else those of the spec.

    `feedback` is why the loop is gone through again, and `context` what the steps before it have set.
    """

    round: int
    stories: tuple[Story, ...]
    feedback: str
    context: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopClosed(Fact):
    """No story is left to be worked on, and the run's own steps have been told so."""

    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameEnded(Fact):
    """The run's own steps are over; `failure` says why they did not come to their end."""

    failure: str
    usage: Usage
    unbooked: Usage = NOTHING_USED


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(Fact):
    status: RunStatus
