"""The views as queries in plain SQL, for any driver."""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from shiftwork.adapters.store.sql.dialect import NOW
from shiftwork.adapters.store.sql.packed_waits import unpacked
from shiftwork.adapters.store.sql.view_columns import VIEWS, View, lease, row_of
from shiftwork.domain.core.ids import FRAME
from shiftwork.errors import StoreError
from shiftwork.ports.rows.row_parts import AttemptSum
from shiftwork.ports.store import History
from shiftwork.ports.views import (
    OPEN,
    AttemptRow,
    Lease,
    Owner,
    ProfileRow,
    RunRow,
    SpentRow,
    StepRow,
    StoryRow,
    WaitedRow,
)

type Fetch = Callable[[str, tuple[Any, ...]], Awaitable[Sequence[Mapping[str, Any]]]]
"""Runs one query with `?` parameters and returns records by column name; a database without tables returns nothing."""


_OF_RUN: Final = '"run" = ?'

_PREFIX: Final = {"sqlite": '"run" >= ? AND "run" < ?', "postgresql": '"run" ~>=~ ? AND "run" ~<~ ?'}
"""Ids with a prefix as a range, which an index finds: from the prefix to just before the prefix with `_LAST`."""

_LAST: Final = "\U0010ffff"

_NEWEST: Final = 'ORDER BY "started_at" DESC NULLS FIRST, "run" DESC'


class SqlQueries:
    """See `ports.store.Reader`. Limited to a project, unless that is None."""

    def __init__(self, fetch: Fetch, dialect: str, project: str | None = None) -> None:
        self._fetch = fetch
        self._now = NOW[dialect]
        self._prefix = _PREFIX[dialect]
        self._project = () if project is None else (project,)
        self._own_runs = "true" if project is None else "project = ?"

    @property
    def history(self) -> History:
        from shiftwork.adapters.store.reader.stored_facts import SqlHistory  # noqa: PLC0415 - `status` reads views alone

        return SqlHistory(self._fetch)

    async def runs(self, *, limit: int = 20, unended: bool = False) -> Sequence[RunRow]:
        if not unended:
            return await self._rows(RunRow, "true", f"{_NEWEST} LIMIT ?", limit)
        # Chosen by the database, because most runs have ended, and a row takes longer to build than to skip.
        newest = f"SELECT run FROM runs WHERE {self._own_runs} {_NEWEST} LIMIT ?"  # noqa: S608 - as below
        return await self._rows(RunRow, f"ended_at IS NULL AND run IN ({newest})", _NEWEST, *self._project, limit)

    async def run(self, run: str) -> RunRow | None:
        shortest = 'ORDER BY length("run"), "run" LIMIT 2'
        found = await self._rows(RunRow, self._prefix, shortest, run, run + _LAST)
        # The shortest id comes first, so that an exact id wins over longer ids that begin with it.
        if len(found) == 1 or (found and found[0].run == run):
            return found[0]
        return None

    async def stories(self, run: str, *, story: str = "", status: str = "") -> Sequence[StoryRow]:
        wanted, of = _only(run, story=story, status=status)
        return await self._rows(StoryRow, wanted, 'ORDER BY "position", "story"', *of)

    async def open_stories(self, since: float) -> Sequence[StoryRow]:
        recent = f"SELECT run FROM runs WHERE {self._own_runs} AND (ended_at IS NULL OR ended_at >= ?)"  # noqa: S608 - as below
        wanted = f"status IN (?, ?, ?) AND run IN ({recent})"
        tail = 'ORDER BY "run" DESC, "position", "story"'
        return await self._rows(StoryRow, wanted, tail, *OPEN, *self._project, since)

    async def story_counts(self, run: str) -> Mapping[str, int]:
        own = self._own('"stories"."run"')
        counted = f"SELECT status, count(*) AS number FROM stories WHERE {own} AND {_OF_RUN} AND story <> ?"  # noqa: S608 - as below
        found = await self._fetch(f"{counted} GROUP BY status", (*self._project, run, FRAME))
        return {row["status"]: row["number"] for row in found}

    async def steps(self, run: str, story: str = "", *, status: str = "") -> Sequence[StepRow]:
        only, of = _only(run, story=story, status=status)
        wanted = f'{only} AND "position" >= 0'
        return await self._rows(StepRow, wanted, 'ORDER BY "story", "position", "step"', *of)

    async def profiles(self, *, limit: int = 1000) -> Sequence[ProfileRow]:
        newest = 'ORDER BY "started_at" DESC NULLS FIRST, "run" DESC, "story" DESC, "role" LIMIT ?'
        return await self._rows(ProfileRow, "true", newest, limit)

    async def spent(self, run: str) -> Sequence[SpentRow]:
        return await self._rows(SpentRow, _OF_RUN, 'ORDER BY "story", "agent", "model"', run)

    async def waited(self, run: str, story: str = "") -> Sequence[WaitedRow]:
        wanted, of = _only(run, story=story)
        return await self._rows(WaitedRow, wanted, 'ORDER BY "story", "number"', *of)

    async def attempts(
        self, run: str, story: str = "", *, since: float = 0.0, until: float = math.inf
    ) -> Sequence[AttemptRow]:
        only, of = _only(run, story=story)
        wanted = f'{only} AND "ended_at" >= ? AND coalesce("started_at", "ended_at") <= ?'
        return await self._rows(AttemptRow, wanted, 'ORDER BY "story", "position"', *of, since, until)

    async def attempt_sums(self, run: str, before: float) -> Sequence[AttemptSum]:
        took = "ended_at - coalesce(started_at, ended_at)"
        sums = f"story, ending, count(*) AS number, sum({took}) AS seconds, max({took}) AS longest"
        own = self._own('"attempts"."run"')
        query = f"SELECT {sums} FROM attempts WHERE {own} AND {_OF_RUN} AND ended_at < ?"  # noqa: S608 - as below
        found = await self._fetch(
            f"{query} GROUP BY story, ending ORDER BY story, ending", (*self._project, run, before)
        )
        return [AttemptSum(**row) for row in found]

    async def holder(self, run: str) -> Lease | None:
        columns = f"executor, host, pid, pid_started, {self._now} - heartbeat_at AS age"
        query = f"SELECT {columns} FROM leases WHERE {self._own('leases.resource')} AND resource = ?"  # noqa: S608 - as below
        for found in await self._fetch(query, (*self._project, run)):
            owner = {name: value for name, value in found.items() if name != "age"}
            return lease(run, Owner(**owner), found["age"])
        return None

    async def _rows[R: (RunRow, StoryRow, StepRow, ProfileRow, SpentRow, WaitedRow, AttemptRow)](
        self, kind: type[R], wanted: str, tail: str, *parameters: Any
    ) -> list[R]:
        """A database that was not upgraded yet lacks the newest columns: its rows get the defaults. The query selects
        all columns, because SQLite reads the quoted name of a missing column as a text.
        """
        view = VIEWS[kind]
        own = self._own_runs if view.table == "runs" else self._own(f'"{view.table}"."run"')
        query = f'SELECT * FROM "{view.table}" WHERE {own} AND {wanted} {tail}'  # noqa: S608 - only names from the source code
        records = await self._fetch(query, (*self._project, *parameters))
        try:
            return [row_of(kind, _upgraded(view, record)) for record in records]
        except TypeError as error:
            raise unreadable(error) from error

    def _own(self, column: str) -> str:
        """The condition that a column has the id of a run of the project. It looks up each run: with `IN`, SQLite would
        begin with all runs of the project.
        """
        return f"EXISTS (SELECT 1 FROM runs WHERE run = {column} AND project = ?)" if self._project else "true"  # noqa: S608 - as above


def _only(run: str, **values: str) -> tuple[str, tuple[str, ...]]:
    """The condition for rows of a run, with these values in columns unless they are empty, and its parameters."""
    given = {column: value for column, value in values.items() if value}
    return " AND ".join((_OF_RUN, *(f'"{column}" = ?' for column in given))), (run, *given.values())


def _upgraded(view: View, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record of a story from before 0017 as that migration would leave it."""
    is_packed = "choices" in view.columns and "choices" not in record and "waiting" in record
    return {**record, **unpacked(record)} if is_packed else record


def unreadable(error: Exception) -> StoreError:
    text = str(error).strip()
    of_disk = "disk" in text.lower()  # as SQLite says it, whatever the reason
    other_release = "if another release of shiftwork wrote it, use that release"
    hint = "check that the disk has free space and no errors: df -h" if of_disk else other_release
    return StoreError(f"the database cannot be read: {text}", hint=hint)
