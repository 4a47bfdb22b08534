"""Wakes those who wait for a message when this process posts one, whatever thread or event loop they wait in."""

import asyncio
import contextlib
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Final

from shiftwork.ports.store import Message

# Messages of other processes ring no bell here: they are looked for this often.
POLL_SECONDS: Final = 0.3

type _Waiter = tuple[asyncio.AbstractEventLoop, asyncio.Event]


class Bell:
    """Rung for a target, heard by all who listen for it at that moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiters: defaultdict[str, set[_Waiter]] = defaultdict(set)

    def ring(self, target: str) -> None:
        with self._lock:
            waiters = tuple(self._waiters.get(target, ()))
        for loop, heard in waiters:
            # A loop that was closed under its waiter has nobody left to wake.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(heard.set)

    @contextlib.contextmanager
    def listening(self, target: str) -> Iterator[asyncio.Event]:
        waiter = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._waiters[target].add(waiter)
        try:
            yield waiter[1]
        finally:
            with self._lock:
                self._waiters[target].discard(waiter)
                if not self._waiters[target]:
                    del self._waiters[target]


async def first_messages(
    bell: Bell,
    target: str,
    receive: Callable[[], Awaitable[Sequence[Message]]],
    *,
    poll_seconds: float = POLL_SECONDS,
) -> Sequence[Message]:
    """What `receive` gives as soon as it gives anything; listening begins before looking, so nothing is missed."""
    with bell.listening(target) as heard:
        while True:
            heard.clear()
            messages = await receive()
            if messages:
                return messages
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(poll_seconds):
                    await heard.wait()
