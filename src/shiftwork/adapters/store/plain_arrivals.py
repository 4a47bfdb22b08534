"""Which inboxes have new messages, in plain SQL: a single quick query each time."""

from shiftwork.adapters.store.reader.reader import open_fetch
from shiftwork.domain.core.ids import Stream


class PlainArrivals:
    """See `ports.store.Arrivals`. No message is missed, because positions become visible in their order."""

    def __init__(self, url: str) -> None:
        self._fetch = open_fetch(url, keeping=True)
        self._seen: int | None = None

    async def arrived(self) -> frozenset[Stream]:
        if self._seen is None:
            last = await self._fetch("SELECT max(position) AS last FROM inbox", ())
            self._seen = next((row["last"] or 0 for row in last), 0)
            return frozenset()
        rows = await self._fetch("SELECT position, target FROM inbox WHERE position > ?", (self._seen,))
        self._seen = max((row["position"] for row in rows), default=self._seen)
        return frozenset(Stream(row["target"]) for row in rows)
