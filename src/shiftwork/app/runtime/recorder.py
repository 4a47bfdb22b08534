"""Records the facts of one effect in the stream of its job, and keeps state and version in step with them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from shiftwork import failpoints
from shiftwork.app.runtime.context import Sighting, World
from shiftwork.app.runtime.leases import ensure_held, taken_over
from shiftwork.app.runtime.streams import Kind, StreamState
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.landing.state import QueueState
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryState
from shiftwork.errors import LeaseLostError


@dataclass(slots=True, kw_only=True)
class Recorder[S: StreamState]:
    """`state` and `version` are what the history says after the last write; `recorded` holds
    what this recorder has written.

    `latest` is known to be true where the job itself has just written the version; elsewhere it is to be found out.
    """

    world: World
    kind: Kind[S]
    stream: Stream
    state: S
    version: int
    latest: bool = False
    recorded: list[tuple[int, Fact]] = field(default_factory=list)

    async def write(self, key: str, facts: Sequence[Fact]) -> None:
        """Append facts under a key, once; raises VersionConflictError where another writer came first, and RunBusyError
        where another process has taken the run over.
        """
        events = self.world.events.under(await ensure_held(self.world, self.stream))
        after = self.kind.fold(self.state, facts)
        rows = self.kind.rows(self.state, after)
        failpoints.reach("append.before")
        try:
            reached = await events.append(self.stream, facts, expected=self.version, key=key, rows=rows)
        except LeaseLostError as error:
            raise taken_over(self.stream) from error
        failpoints.reach("append.after")
        self.recorded += [(self.version + number, fact) for number, fact in enumerate(facts, start=1)]
        self.state, self.version = after, reached
        for fact in facts:
            self.world.observe(Sighting(stream=self.stream, what=fact))

    async def is_latest(self) -> bool:
        """Whether the history holds nothing beyond what this recorder knows."""
        return self.latest or await self.world.events.version(self.stream) == self.version

    def written(self, after: int, upto: int) -> list[Fact]:
        """The facts between two versions, if this recorder wrote all of them; none where it did not."""
        facts = [fact for version, fact in self.recorded if after < version <= upto]
        return facts if len(facts) == upto - after else []


type RunRecorder = Recorder[RunState]
type StoryRecorder = Recorder[StoryState]
type QueueRecorder = Recorder[QueueState]
