"""The pen of one effect: writes facts to the job's stream, keeping state and version in step with what is written."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from shiftwork import failpoints
from shiftwork.app.runtime.context import Sighting, World
from shiftwork.app.runtime.leases import ensure_held, taken_over
from shiftwork.app.runtime.streams import Kind
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.errors import LeaseLostError


@dataclass(slots=True, kw_only=True)
class Pen:
    """`state` and `version` are what the history says after the last write; `page` holds what this pen has written.

    `latest` is known to be true where the job itself has just written the version; elsewhere it is to be found out.
    """

    world: World
    kind: Kind[Any]
    stream: Stream
    state: Any
    version: int
    latest: bool = False
    page: list[tuple[int, Fact]] = field(default_factory=list)

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
        self.page += [(self.version + number, fact) for number, fact in enumerate(facts, start=1)]
        self.state, self.version = after, reached
        for fact in facts:
            self.world.observe(Sighting(stream=self.stream, what=fact))

    async def is_latest(self) -> bool:
        """Whether the history holds nothing beyond what this pen knows."""
        return self.latest or await self.world.events.version(self.stream) == self.version

    def written(self, after: int, upto: int) -> list[Fact]:
        """The facts between two versions, if this pen wrote all of them; none where it did not."""
        facts = [fact for version, fact in self.page if after < version <= upto]
        return facts if len(facts) == upto - after else []
