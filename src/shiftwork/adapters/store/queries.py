"""The views as queries of plain SQL, whichever driver runs them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from shiftwork.adapters.store.dialects import NOW
from shiftwork.adapters.store.views import VIEWS, lease
from shiftwork.errors import StoreError
from shiftwork.ports.views import Lease, Owner, PlayedRow, RunRow, SpentRow, StepRow, StoryRow, WaitedRow

type Fetch = Callable[[str, tuple[Any, ...]], Awaitable[Sequence[Mapping[str, Any]]]]
"""Runs one query, its parameters marked by `?`, and gives records by the names of their columns; a database that was
never written to gives nothing.
"""


class SqlQueries:
    """See `ports.store.Queries`."""

    def __init__(self, fetch: Fetch, dialect: str) -> None:
        self._fetch = fetch
        self._now = NOW[dialect]

    async def runs(self, *, limit: int = 20) -> Sequence[RunRow]:
        return await self._rows(RunRow, 'ORDER BY "started_at" DESC NULLS FIRST, "run" DESC LIMIT ?', limit)

    async def run(self, run: str) -> RunRow | None:
        beginning = 'WHERE substr("run", 1, ?) = ? ORDER BY length("run"), "run" LIMIT 2'
        found = await self._rows(RunRow, beginning, len(run), run)
        # The shortest comes first, so an id that is also the beginning of others means itself.
        if len(found) == 1 or (found and found[0].run == run):
            return found[0]
        return None

    async def stories(self, run: str) -> Sequence[StoryRow]:
        return await self._rows(StoryRow, 'WHERE "run" = ? ORDER BY "position", "story"', run)

    async def steps(self, run: str, story: str = "") -> Sequence[StepRow]:
        only, of = (' AND "story" = ?', (run, story)) if story else ("", (run,))
        tail = f'WHERE "run" = ?{only} AND "position" >= 0 ORDER BY "story", "position", "step"'
        return await self._rows(StepRow, tail, *of)

    async def played(self, *, limit: int = 1000) -> Sequence[PlayedRow]:
        newest = 'ORDER BY "started_at" DESC NULLS FIRST, "run" DESC, "story" DESC, "role" LIMIT ?'
        return await self._rows(PlayedRow, newest, limit)

    async def spent(self, run: str) -> Sequence[SpentRow]:
        return await self._rows(SpentRow, 'WHERE "run" = ? ORDER BY "story", "agent", "model"', run)

    async def waited(self, run: str) -> Sequence[WaitedRow]:
        return await self._rows(WaitedRow, 'WHERE "run" = ? ORDER BY "story", "number"', run)

    async def holder(self, run: str) -> Lease | None:
        columns = f"executor, host, pid, pid_started, {self._now} - beat_at AS age"
        query = f"SELECT {columns} FROM leases WHERE resource = ?"  # noqa: S608 - made of names in the source alone
        for found in await self._fetch(query, (run,)):
            owner = {name: value for name, value in found.items() if name != "age"}
            return lease(run, Owner(**owner), found["age"])
        return None

    async def _rows[R: (RunRow, StoryRow, StepRow, PlayedRow, SpentRow, WaitedRow)](
        self, kind: type[R], tail: str, *parameters: Any
    ) -> list[R]:
        """A database that nobody has upgraded yet lacks the newest columns: its rows have what they have by default.

        All columns are asked for, because to SQLite the quoted name of one that is not there is a text.
        """
        view = VIEWS[kind]
        query = f'SELECT * FROM "{view.table}" {tail}'  # noqa: S608 - made of names in the source alone
        records = await self._fetch(query, parameters)
        try:
            return [kind(**{name: record[name] for name in view.columns if name in record}) for record in records]
        except TypeError as error:
            raise unreadable(error) from error


def unreadable(error: Exception) -> StoreError:
    return StoreError(
        f"the database cannot be read: {str(error).strip()}",
        hint="if another release of shiftwork wrote it, use that release",
    )
