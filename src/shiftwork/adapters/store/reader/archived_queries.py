"""The views together with those of archived runs: what the database no longer has is read from the run's file."""

from collections.abc import Callable, Sequence

from shiftwork.adapters.store.reader.archive_file import rows
from shiftwork.ports.store import History
from shiftwork.ports.views import Lease, ProfileRow, Queries, RunRow, SpentRow, StepRow, StoryRow, WaitedRow


class ArchivedQueries:
    """See `ports.store.Reader`. `folder` has the archives."""

    def __init__(self, queries: Queries, history: Callable[[], History], folder: str) -> None:
        self._queries = queries
        self._history = history
        self._folder = folder

    @property
    def history(self) -> History:
        from shiftwork.adapters.store.archives import ArchivedHistory, FileArchives  # noqa: PLC0415 - `status` reads views

        return ArchivedHistory(self._history(), FileArchives(self._folder))

    async def runs(self, *, limit: int = 20, unended: bool = False) -> Sequence[RunRow]:
        return await self._queries.runs(limit=limit, unended=unended)

    async def run(self, run: str) -> RunRow | None:
        return await self._queries.run(run)

    async def stories(self, run: str) -> Sequence[StoryRow]:
        return await self._queries.stories(run) or await self._archived(run, StoryRow)

    async def steps(self, run: str, story: str = "") -> Sequence[StepRow]:
        found = await self._queries.steps(run, story)
        return found or [row for row in await self._archived(run, StepRow) if row.story == story or not story]

    async def profiles(self, *, limit: int = 1000) -> Sequence[ProfileRow]:
        return await self._queries.profiles(limit=limit)

    async def spent(self, run: str) -> Sequence[SpentRow]:
        return await self._queries.spent(run) or await self._archived(run, SpentRow)

    async def waited(self, run: str) -> Sequence[WaitedRow]:
        return await self._queries.waited(run) or await self._archived(run, WaitedRow)

    async def holder(self, run: str) -> Lease | None:
        return await self._queries.holder(run)

    async def _archived[R: (StoryRow, StepRow, SpentRow, WaitedRow)](self, run: str, kind: type[R]) -> Sequence[R]:
        """Only for a run of this project that is archived: the folder may hold those of others."""
        row = await self._queries.run(run)
        return rows(self._folder, run, kind) if row is not None and row.archived else ()
