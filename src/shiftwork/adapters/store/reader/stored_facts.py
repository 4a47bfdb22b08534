"""The history in plain SQL, for commands that only read it."""

import json
from collections.abc import Sequence

from shiftwork.adapters.store.reader.queries import Fetch
from shiftwork.adapters.store.sql.view_columns import row_of
from shiftwork.domain.codec import decode
from shiftwork.domain.core.ids import Stream
from shiftwork.ports.store import Kinds, Recorded
from shiftwork.ports.views import SnapshotRow


class SqlHistory:
    """See `ports.store.History`."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch

    async def read(
        self, stream: Stream, *, after: int = 0, upto: int | None = None, kinds: Kinds = (), naming: str = ""
    ) -> Sequence[Recorded]:
        columns, last = 'version, "key", kind, schema_version, body', "" if upto is None else " AND version <= ?"
        names = tuple(kind.__name__ for kind in kinds)
        of = f" AND kind IN ({', '.join('?' for _ in names)})" if names else ""
        having = " AND body LIKE ?" if naming else ""
        query = f"SELECT {columns} FROM facts WHERE stream = ? AND version > ?{last}{of}{having} ORDER BY version"  # noqa: S608 - fixed words
        values = (stream, after, *(() if upto is None else (upto,)), *names, *((f"%{naming}%",) if naming else ()))
        return [
            Recorded(
                stream=stream,
                version=row["version"],
                key=row["key"],
                fact=decode(row["kind"], row["schema_version"], json.loads(row["body"])),
            )
            for row in await self._fetch(query, values)
        ]

    async def version(self, stream: Stream) -> int:
        rows = await self._fetch("SELECT coalesce(max(version), 0) AS version FROM facts WHERE stream = ?", (stream,))
        return sum(int(row["version"]) for row in rows)  # no row if there is no database

    async def snapshot(self, stream: Stream) -> SnapshotRow | None:
        rows = await self._fetch("SELECT * FROM snapshots WHERE stream = ?", (stream,))
        return next((row_of(SnapshotRow, {**row}) for row in rows), None)
