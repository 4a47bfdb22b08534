"""The last events of a project in memory, up to a size. All clients read the same ones, each from its own place."""

import asyncio
import contextlib
from bisect import bisect_right
from collections.abc import AsyncIterator, Sequence
from typing import Final

from shiftwork.app.views.documents.event_records import ChangeEvent
from shiftwork.app.views.feed.fact_events import FactEvents
from shiftwork.entrypoints.api.rendering import json_text
from shiftwork.errors import ShiftworkError
from shiftwork.ports.store import FactFeed, History
from shiftwork.records import dataclass

WINDOW_BYTES: Final = 1 << 20
"""How much can be replayed: a client that missed more must read the state again."""

_PART: Final = 500
_RETRY_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """An event as it is sent, at its place."""

    position: int
    run: str
    text: str


class EventWindow:
    """Events after `start` and up to `end`. Follows the feed only while a client listens."""

    def __init__(self, feed: FactFeed, history: History, size: int = WINDOW_BYTES) -> None:
        self._feed = feed
        self._events = FactEvents(history)
        self._size = size
        self._held: list[Sent] = []
        self._bytes = 0
        self._news = asyncio.Event()
        self._alone = asyncio.Lock()
        self._follower: asyncio.Task[None] | None = None
        self.clients = 0
        self.is_closed = False
        self.start = self.end = -1

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """While this is open, the window follows the feed; it has caught up when this begins."""
        self.clients += 1
        try:
            await self._catch_up()
            if self._follower is None:
                self._follower = asyncio.create_task(self._follow())
            yield
        finally:
            self.clients -= 1
            if not self.clients and self._follower is not None:
                self._follower.cancel()
                self._follower = None

    def after(self, position: int, size: int) -> Sequence[Sent]:
        """The next events after a place, which must not be before `start`: up to a size, or at least one."""
        first = last = bisect_right(self._held, position, key=lambda sent: sent.position)
        while size > 0 and last < len(self._held):
            size -= len(self._held[last].text)
            last += 1
        return self._held[first:last]

    async def has_begun(self, position: int) -> bool:
        """Whether the database has come as far as this place: a place beyond it is of another database."""
        return position <= self.end or position <= await self._feed.tail(0)

    async def news(self, position: int, seconds: float) -> None:
        """Returns when the window has passed a place, when it closes, or after some time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.end <= position and not self.is_closed:
                    await self._news.wait()

    def close(self) -> None:
        """Ends every wait, now and from now on."""
        self.is_closed = True
        self._announce()

    async def _follow(self) -> None:
        """After an error it reads before it waits for a change: the feed may have reported the last one already."""
        while True:
            try:
                await self._catch_up()
                await self._feed.changed()
            except ShiftworkError:
                await asyncio.sleep(_RETRY_SECONDS)  # clients wait: nothing is lost

    async def _catch_up(self) -> None:
        async with self._alone:
            if self.end < 0:
                self.start = self.end = await self._feed.tail(self._size)
            while (part := await self._feed.after(self.end, limit=_PART)).upto > self.end:
                for placed in part.facts:
                    self._hold(placed.position, await self._events.event(placed.recorded))
                    self.end = placed.position  # at once: a reader that ends within a part must not read it again
                self.end = part.upto
                self._announce()

    def _hold(self, position: int, event: ChangeEvent) -> None:
        text = f"id: {position}\nevent: change\ndata: {json_text(event)}\n\n"
        self._held.append(Sent(position=position, run=event.run or "", text=text))
        self._bytes += len(text)
        dropped = 0
        while self._bytes > self._size:
            self._bytes -= len(self._held[dropped].text)
            self.start = self._held[dropped].position
            dropped += 1
        del self._held[:dropped]

    def _announce(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()
