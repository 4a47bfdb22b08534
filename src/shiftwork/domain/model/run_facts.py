"""Facts of a run: what became of its stories, and what people asked of it."""

from dataclasses import dataclass

from shiftwork.domain.model.budget import Amount
from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.ids import Commit, StoryId
from shiftwork.domain.model.memory import Learnt, Scope
from shiftwork.domain.model.proof import ProofStatus
from shiftwork.domain.model.run import RunPlan, RunStatus
from shiftwork.domain.model.spec import Story
from shiftwork.domain.model.story import FailureCause, Limits, StoryStatus
from shiftwork.domain.model.usage import NOTHING_USED, Usage


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
class StoryRetryRequested(Fact):
    """A person asked for another go at a story that failed: from the step that failed, or `afresh` from its first.
    `limits` are new ones of the run, which hold if the story has its go and not otherwise.
    """

    story: StoryId
    afresh: bool = False
    limits: Limits | None = None


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
class CancelRequested(Fact):
    """A person asked for the end of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelForwarded(Fact):
    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(Fact):
    status: RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowanceAsked(Fact):
    """A story is about to begin an attempt of this kind; a `bounded` one stops at what is set aside for it."""

    story: StoryId
    number: int
    kind: str
    bounded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountReserved(Fact):
    """Set aside before the attempt begins."""

    story: StoryId
    number: int
    amount: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortageTold(Fact):
    """The story knows that there is not enough for its attempt."""

    story: StoryId
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptSettled(Fact):
    """What the attempt used; nothing is known of it where `used` is empty. With the number 0 it is what the story had
    used before it heard of a limit of the run. Where what was set aside is `unused`, the attempt was not made.
    """

    story: StoryId
    number: int
    used: Usage | None
    unused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsRaised(Fact):
    """A person set other limits; what they say nothing about stays."""

    limits: Limits


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsForwarded(Fact):
    """A story in flight has been told which limits hold now."""

    story: StoryId
