"""The views together with those of archived runs: what the database no longer has is read from the run's file."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shiftwork.adapters.store.reader.archive_file import row_lines, rows
from shiftwork.domain.core.ids import FRAME
from shiftwork.ports.rows.attempt_spans import attempts_in, sums_of
from shiftwork.ports.rows.row_parts import AttemptSum
from shiftwork.ports.store import History
from shiftwork.ports.views import (
    AttemptRow,
    Lease,
    ProfileRow,
    Queries,
    RunRow,
    SpentRow,
    StepRow,
    StoryRow,
    WaitedRow,
)


class ArchivedQueries:
    """See `ports.store.Reader`. `folder` has the archives; the last one read is kept, because a view needs it several
    times.
    """

    def __init__(self, queries: Queries, history: Callable[[], History], folder: str) -> None:
        self._queries = queries
        self._history = history
        self._folder = folder
        self._last = ("", list[dict[str, Any]]())
        self._opened: History | None = None

    @property
    def history(self) -> History:
        from shiftwork.adapters.store.archives import ArchivedHistory, FileArchives  # noqa: PLC0415 - `status` reads views

        if self._opened is None:
            self._opened = ArchivedHistory(self._history(), FileArchives(self._folder))
        return self._opened

    async def runs(self, *, limit: int = 20, unended: bool = False) -> Sequence[RunRow]:
        return await self._queries.runs(limit=limit, unended=unended)

    async def run(self, run: str) -> RunRow | None:
        return await self._queries.run(run)

    async def stories(self, run: str, *, story: str = "", status: str = "") -> Sequence[StoryRow]:
        found = await self._queries.stories(run, story=story, status=status)
        return found or [
            row
            for row in await self._archived(run, StoryRow)
            if row.story == (story or row.story) and row.status == (status or row.status)
        ]

    async def open_stories(self, since: float) -> Sequence[StoryRow]:
        return await self._queries.open_stories(since)

    async def story_counts(self, run: str) -> Mapping[str, int]:
        archived = (row.status for row in await self._archived(run, StoryRow) if row.story != FRAME)
        return await self._queries.story_counts(run) or Counter(archived)

    async def steps(self, run: str, story: str = "", *, status: str = "") -> Sequence[StepRow]:
        found = await self._queries.steps(run, story, status=status)
        return found or [
            row
            for row in await self._archived(run, StepRow)
            if row.story == (story or row.story) and row.status == (status or row.status)
        ]

    async def profiles(self, *, limit: int = 1000) -> Sequence[ProfileRow]:
        return await self._queries.profiles(limit=limit)

    async def spent(self, run: str) -> Sequence[SpentRow]:
        return await self._queries.spent(run) or await self._archived(run, SpentRow)

    async def waited(self, run: str, story: str = "") -> Sequence[WaitedRow]:
        found = await self._queries.waited(run, story)
        return found or [row for row in await self._archived(run, WaitedRow) if row.story == story or not story]

    async def attempts(
        self, run: str, story: str = "", *, since: float = 0.0, until: float = math.inf
    ) -> Sequence[AttemptRow]:
        found = await self._queries.attempts(run, story, since=since, until=until)
        return found or attempts_in(await self._archived(run, AttemptRow), story, since, until)

    async def attempt_sums(self, run: str, before: float) -> Sequence[AttemptSum]:
        found = await self._queries.attempt_sums(run, before)
        return found or sums_of(await self._archived(run, AttemptRow), before)

    async def holder(self, run: str) -> Lease | None:
        return await self._queries.holder(run)

    async def _archived[R: (StoryRow, StepRow, SpentRow, WaitedRow, AttemptRow)](
        self, run: str, kind: type[R]
    ) -> Sequence[R]:
        """Only for a run of this project that is archived: the folder may hold those of others."""
        row = await self._queries.run(run)
        if row is None or not row.archived:
            return ()
        if self._last[0] != run:
            self._last = (run, row_lines(self._folder, run))
        return rows(self._folder, run, self._last[1], kind)
