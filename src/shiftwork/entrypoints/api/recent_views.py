"""The last views of runs, each valid while nothing is written: a view needs the rows of all stories of its run."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from shiftwork.app.views.run_views import RunView
from shiftwork.records import dataclass

MOST_VIEWS: Final = 8
OLDEST_SECONDS: Final = 3.0
"""Whether a process lives and whether an agent prints changes without being written to the database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begun:
    """A view that is being read, or has been, since a mark of the database and a time."""

    mark: object
    since: float
    view: asyncio.Future[RunView]


class RecentViews:
    """Requests that come while nothing is written share one view, even while it is being read."""

    def __init__(
        self,
        mark: Callable[[], Awaitable[object]],
        read: Callable[[str], Coroutine[Any, Any, RunView]],
        clock: Callable[[], float],
    ) -> None:
        self._mark = mark
        self._read = read
        self._clock = clock
        self._begun: dict[str, _Begun] = {}

    async def view(self, run: str) -> RunView:
        """The run as it is in the database when this is called, or later. Raises what reading it raises."""
        mark = await self._mark()  # first: a view may be newer than its mark, and is never older
        begun = self._begun.pop(run, None)
        if begun is None or begun.mark != mark or self._clock() - begun.since > OLDEST_SECONDS:
            begun = _Begun(mark=mark, since=self._clock(), view=asyncio.ensure_future(self._read(run)))
        self._begun[run] = begun  # the last one used is the last to be dropped
        try:
            view = await asyncio.shield(begun.view)  # a client that leaves ends its own request only
        except Exception:
            if self._begun.get(run) is begun:
                del self._begun[run]
            raise
        while len(self._begun) > MOST_VIEWS:
            del self._begun[next(iter(self._begun))]
        return view
