"""Records the facts of one effect in the stream of its job, and updates state and version with them."""

from collections.abc import Sequence

from shiftwork import failpoints
from shiftwork.app.folds import StreamState, snapshot_rows
from shiftwork.app.runtime.context import Context, Sighting
from shiftwork.app.runtime.leases import ensure_held, taken_over
from shiftwork.app.runtime.streams import Kind
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.landing.state import QueueState
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryState
from shiftwork.errors import LeaseLostError
from shiftwork.records import dataclass, field


@dataclass(slots=True, kw_only=True)
class Recorder[S: StreamState]:
    """`state` and `version` are those of the history after the last write; `recorded` has what this recorder wrote.

    `latest` is true if the job itself has just written that version; otherwise `is_latest` asks the store.
    """

    context: Context
    kind: Kind[S]
    stream: Stream
    state: S
    version: int
    latest: bool = False
    recorded: list[tuple[int, Fact]] = field(default_factory=list)

    async def write(self, key: str, facts: Sequence[Fact]) -> None:
        """Append facts under a key, once; raises VersionConflictError if another writer was first, and RunBusyError if
        another process has taken over the run.
        """
        events = self.context.events.under(await ensure_held(self.context, self.stream))
        after = self.kind.state.fold(self.state, facts)
        snapshot = snapshot_rows(self.kind.state, self.stream, self.version + len(facts), after)
        rows = (*self.kind.rows_of(self.state, after, facts), *snapshot)
        failpoints.reach("append.before")
        try:
            reached = await events.append(self.stream, facts, expected=self.version, key=key, rows=rows)
        except LeaseLostError as error:
            raise taken_over(self.stream) from error
        failpoints.reach("append.after")
        self.recorded += [(self.version + number, fact) for number, fact in enumerate(facts, start=1)]
        self.state, self.version = after, reached
        for fact in facts:
            self.context.observe(Sighting(stream=self.stream, what=fact))

    async def is_latest(self) -> bool:
        """Whether the history has no facts after the version of this recorder."""
        return self.latest or await self.context.events.version(self.stream) == self.version

    def written(self, after: int, upto: int) -> list[Fact]:
        """The facts between two versions if this recorder wrote all of them; otherwise none."""
        facts = [fact for version, fact in self.recorded if after < version <= upto]
        return facts if len(facts) == upto - after else []


type RunRecorder = Recorder[RunState]
type StoryRecorder = Recorder[StoryState]
type QueueRecorder = Recorder[QueueState]
