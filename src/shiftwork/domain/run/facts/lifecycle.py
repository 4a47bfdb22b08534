"""Facts about a run as a whole: its start, stories, own steps, memory and end."""

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.memory.notes import Learnt, Scope
from shiftwork.domain.proof.verdict import ProofStatus
from shiftwork.domain.run.state import RunPlan, RunStatus
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Fact):
    plan: RunPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryAdopted(Fact):
    """The spec says that the story landed earlier: it counts as completed and is not started."""

    story: StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class LandedSought(Fact):
    """The branch was searched for the work that has landed on it: the stories that it no longer has, and those that it
    has again.
    """

    missing: tuple[StoryId, ...] = ()
    found: tuple[StoryId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDispatched(Fact):
    """A story was started, with a slot that no other story of the run holds while it is in progress."""

    story: StoryId
    slot: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryWaits(Fact):
    """A story waits for a person, or no longer does: meanwhile another story may use its place."""

    story: StoryId
    waiting: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEnded(Fact):
    """A story reported its end to the run and, if it landed, what it has learnt and its proof status. `unrecorded` is
    the part of its `usage` that the run has not recorded yet.
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
    unrecorded: Usage = NOTHING_USED
    proof: ProofStatus | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteShared(Fact):
    """A story wrote a note for other stories."""

    story: StoryId
    scope: Scope
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryKept(Fact):
    """The run's notebook was written after that many changes of its memory. If that failed, `reason` says why, and the
    next change tries again.
    """

    changes: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecUpdated(Fact):
    """The spec's file now shows the status of these stories. `cleared` are no longer marked as done, because they were
    undone. `missing` are not in the file: a person added them to the run or removed them from the file.
    """

    stories: tuple[StoryId, ...]
    cleared: tuple[StoryId, ...] = ()
    missing: tuple[StoryId, ...] = ()

    @property
    def marked(self) -> tuple[StoryId, ...]:
        """The stories that the file marks as done."""
        return tuple(story for story in self.stories if story not in {*self.cleared, *self.missing})


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecUpdateFailed(Fact):
    """The spec's file could not be written; unless this was the `final` try, the next landing tries again."""

    stories: tuple[StoryId, ...]
    reason: str
    final: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameBegun(Fact):
    """The run started its own steps, for the first time or again."""

    start_number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopOpened(Fact):
    """The run's own steps have reached the loop over the stories: these if a step has planned them, else the spec's.

    `feedback` is the reason for repeating the loop, and `context` has the values that the earlier steps have set.
    """

    round: int
    stories: tuple[Story, ...]
    feedback: str
    context: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopClosed(Fact):
    """No story is left to work on, and the run has reported that to its own steps."""

    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameEnded(Fact):
    """The run's own steps have ended; `failure` says why they did not complete."""

    failure: str
    usage: Usage
    unrecorded: Usage = NOTHING_USED


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(Fact):
    status: RunStatus
