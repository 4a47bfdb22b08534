"""A store that simulates a killed process: the write that a test names hangs forever."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from shiftwork.adapters.store.in_memory import MemoryEventStore, MemoryInbox, MemoryStore
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.ports.store import Message
from shiftwork.ports.views import Row


class Death:
    """Where the next process dies; `come` once it has reached that point. Later processes pass it, but a run that waits
    for messages receives none while it is `deaf`.
    """

    def __init__(self) -> None:
        self.come = self.deaf = False
        self._record: Callable[[Fact], bool] = _never
        self._post: Callable[[str], bool] = _never

    def before_recording(self, which: Callable[[Fact], bool]) -> None:
        self.come, self._record = False, which

    def before_posting(self, which: Callable[[str], bool]) -> None:
        self.come, self._post = False, which

    async def at(self, facts: Sequence[Fact] = (), key: str = "") -> None:
        if any(map(self._record, facts)) or (key and self._post(key)):
            self.come, self._record, self._post = True, _never, _never
            await asyncio.Event().wait()


def _never(_: object) -> bool:
    return False


class _Events(MemoryEventStore):
    death: Death

    async def append(
        self, stream: Stream, facts: Sequence[Fact], *, expected: int, key: str, rows: Sequence[Row] = ()
    ) -> int:
        await self.death.at(facts)
        return await super().append(stream, facts, expected=expected, key=key, rows=rows)


class _Inbox(MemoryInbox):
    death: Death

    async def wait(self, target: Stream, *, after: int, seconds: float | None = None) -> Sequence[Message]:
        while self.death.deaf and target.startswith("run/"):
            await asyncio.sleep(0.01)
        return await super().wait(target, after=after, seconds=seconds)

    async def post(self, target: Stream, key: str, body: dict[str, Any], *, after: int | None = None) -> bool:
        await self.death.at(key=key)
        return await super().post(target, key, body, after=after)


def deadly(store: MemoryStore) -> Death:
    """Make processes die at the store."""
    death = Death()
    events, inbox = _Events(store.queries), _Inbox()
    events.death = inbox.death = death
    store.events, store.inbox = events, inbox
    return death
