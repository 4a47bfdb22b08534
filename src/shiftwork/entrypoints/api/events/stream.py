"""What one client receives: a start, events from its place on, and a reset if that place is too old."""

from collections.abc import AsyncIterator, Callable
from typing import Final, Literal

from shiftwork.app.views.documents.api_records import FeedMark
from shiftwork.entrypoints.api.events.window import EventWindow
from shiftwork.entrypoints.api.rendering import json_text

_KEEP_ALIVE_SECONDS: Final = 15.0
_KEEP_ALIVE: Final = ": keep-alive\n\n"
_RETRY: Final = "retry: 1000\n\n"
_CHUNK: Final = 1 << 15
"""Large enough to be quick, small enough for many slow clients at once."""


async def events(
    window: EventWindow, position: int | None, run: str = "", *, valid: Callable[[], bool] = lambda: True
) -> AsyncIterator[str]:
    """The stream of a client that has received everything up to `position`; without a position it begins now. A client
    that reads the state after `ready` or `reset` and then applies what follows misses nothing. It ends when the access
    of the client is no longer `valid`.
    """
    async with window.listening():
        yield _RETRY
        if position is None:
            position = window.end
            yield _mark("ready", position)
        elif not await window.has_begun(position):
            position = window.end
            yield _mark("reset", position)
        while not window.is_closed and valid():
            if position < window.start:
                position = window.end
                yield _mark("reset", position)
            if next_ones := window.after(position, _CHUNK):
                position = next_ones[-1].position
                yield "".join(sent.text for sent in next_ones if run in {"", sent.run})
                continue
            position = max(position, window.end)
            await window.news(position, _KEEP_ALIVE_SECONDS)
            if window.end <= position and not window.is_closed:
                yield _KEEP_ALIVE


def _mark(kind: Literal["ready", "reset"], position: int) -> str:
    return f"id: {position}\nevent: {kind}\ndata: {json_text(FeedMark(kind=kind, event_id=position))}\n\n"
