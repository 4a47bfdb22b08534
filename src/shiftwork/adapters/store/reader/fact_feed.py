"""The facts of all runs and stories of a project in one order, for servers that follow them."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from shiftwork.adapters.store.reader.queries import Fetch
from shiftwork.adapters.store.reader.reader import open_fetch
from shiftwork.adapters.store.sql.dialect import sqlite_file
from shiftwork.domain.codec import decode
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.errors import CodecError
from shiftwork.ports.store import FactFeed, FeedPart, Placed, Recorded
from shiftwork.records import dataclass

_COLUMNS: Final = 'position, stream, version, "key", kind, schema_version, body'
_NEXT: Final = f"SELECT {_COLUMNS} FROM facts WHERE position > ? ORDER BY position LIMIT ?"  # noqa: S608 - fixed words
_SIZES: Final = "SELECT position, length(body) AS size FROM facts WHERE position < ? ORDER BY position DESC LIMIT ?"
_SIZED: Final = 1000
_AFTER_ALL: Final = (1 << 63) - 1

# SQLite: a number in memory that changes with every commit of another connection. Postgres: the newest place, from its
# index. Rejected for Postgres: a notification by every append, because commits that notify wait for each other.
_MARK: Final = {"sqlite": "PRAGMA data_version", "postgresql": "SELECT max(position) AS newest FROM facts"}

# Postgres: which transactions are visible. The newest place is not enough, because a lower one may be committed later.
_WRITTEN: Final = {"sqlite": _MARK["sqlite"], "postgresql": "SELECT CAST(txid_current_snapshot() AS text) AS visible"}
_LOOK_SECONDS: Final = {"sqlite": 0.2, "postgresql": 0.5}

# An insert locks the table in this mode before it takes a place, until its transaction ends.
_WRITERS: Final = """
    SELECT virtualtransaction FROM pg_locks
    WHERE locktype = 'relation' AND relation = to_regclass('facts') AND mode = 'RowExclusiveLock'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"""


def open_feed(url: str, project: str, *, patience: float = 0.0) -> FactFeed:
    """The feed of a project, over a connection of its own; a database that does not exist is empty."""
    dialect = "postgresql" if sqlite_file(url) is None else "sqlite"
    return SqlFactFeed(open_fetch(url, patience=patience, keeping=True), dialect, project)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gap:
    """Transactions that were open when places up to `upto` were seen with a gap: each may still fill it."""

    upto: int
    writers: frozenset[str]


class SqlFactFeed:
    """See `ports.store.FactFeed`. SQLite has one writer at a time, so a higher place is always the later commit. On
    Postgres a lower place may become visible later: a gap counts as final when every transaction that was writing when
    the gap was seen has ended.
    """

    def __init__(self, fetch: Fetch, dialect: str, project: str) -> None:
        self._fetch = fetch
        self._project = project
        self._may_have_gaps = dialect == "postgresql"
        self._gap: _Gap | None = None
        self._mark, self._seconds = _MARK[dialect], _LOOK_SECONDS[dialect]
        self._written = _WRITTEN[dialect]
        self._marked: object = None

    async def after(self, position: int, *, limit: int) -> FeedPart:
        rows = await self._fetch(_NEXT, (position, limit))
        if self._may_have_gaps and not _is_whole(position, rows):
            rows = await self._settled(position, rows, limit)
        own = await self._own({run for row in rows if (run := _run_of(row["stream"]))})
        upto = max((row["position"] for row in rows), default=position)
        return FeedPart(facts=tuple(_placed(row) for row in rows if _run_of(row["stream"]) in own), upto=upto)

    async def tail(self, size: int) -> int:
        before, left = _AFTER_ALL, size
        while rows := await self._fetch(_SIZES, (before, _SIZED)):
            for row in rows:
                left -= row["size"]
                if left < 0:
                    return int(row["position"])
            before = rows[-1]["position"]
        return 0

    async def written(self) -> object:
        return [tuple(row.values()) for row in await self._fetch(self._written, ())]

    async def changed(self) -> None:
        if self._gap:  # its end need not add a fact
            await asyncio.sleep(self._seconds)
            return
        while (mark := [tuple(row.values()) for row in await self._fetch(self._mark, ())]) == self._marked:  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(self._seconds)
        self._marked = mark

    async def _settled(
        self, position: int, rows: Sequence[Mapping[str, Any]], limit: int
    ) -> Sequence[Mapping[str, Any]]:
        """The rows up to the last place before which nothing can appear any more. They are read again after the look at
        the writers: a transaction that had ended by then has written all it will ever write.
        """
        gap, writing = self._gap, await self._writers()
        if gap is None or gap.upto <= position:
            gap = _Gap(upto=rows[-1]["position"], writers=writing)
        gap = _Gap(upto=gap.upto, writers=gap.writers & writing)
        self._gap = gap if gap.writers else None
        again = await self._fetch(_NEXT, (position, limit))
        if not gap.writers:
            return [row for row in again if row["position"] <= gap.upto]
        return [row for place, row in enumerate(again, start=position + 1) if row["position"] == place]

    async def _writers(self) -> frozenset[str]:
        return frozenset(str(row["virtualtransaction"]) for row in await self._fetch(_WRITERS, ()))

    async def _own(self, runs: set[str]) -> set[str]:
        if not runs:
            return set()
        places = ", ".join("?" for _ in runs)
        query = f"SELECT run FROM runs WHERE project = ? AND run IN ({places})"  # noqa: S608 - only question marks
        return {row["run"] for row in await self._fetch(query, (self._project, *sorted(runs)))}


def _is_whole(position: int, rows: Sequence[Mapping[str, Any]]) -> bool:
    return not rows or rows[-1]["position"] == position + len(rows)


def _run_of(stream: str) -> str:
    """The run whose stream or story this is; empty for the streams of landing queues."""
    kind, _, rest = stream.partition("/")
    return rest.partition("/")[0] if kind in {"run", "story"} else ""


def _placed(row: Mapping[str, Any]) -> Placed:
    body = json.loads(row["body"])
    try:
        fact = decode(row["kind"], row["schema_version"], body)
    except CodecError:
        fact = Fact(at=float(body.get("at", 0.0)))
    recorded = Recorded(stream=Stream(row["stream"]), version=row["version"], key=row["key"], fact=fact)
    return Placed(position=row["position"], recorded=recorded, size=len(row["body"]))
