"""Wakes tasks that wait for a message when this process posts one, in any thread or event loop."""

import asyncio
import contextlib
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Final

from shiftwork.domain.core.ids import Stream
from shiftwork.ports.store import Message

# Messages from other processes cause no wake-up here: we poll for them this often.
POLL_SECONDS: Final = 0.3

type _Waiter = tuple[asyncio.AbstractEventLoop, asyncio.Event]


class WakeUps:
    """Wakes all current listeners of a target."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiters: defaultdict[str, set[_Waiter]] = defaultdict(set)
        self._listeners: set[tuple[asyncio.AbstractEventLoop, Callable[[Stream], None]]] = set()

    def wake(self, target: str) -> None:
        with self._lock:
            waiters = tuple(self._waiters.get(target, ()))
        for loop, listener in tuple(self._listeners):
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(listener, Stream(target))
        for loop, woken in waiters:
            # If the waiter's loop is already closed, there is nothing to wake.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(woken.set)

    @contextlib.contextmanager
    def listen(self, woken: Callable[[Stream], None]) -> Iterator[None]:
        entry = (asyncio.get_running_loop(), woken)
        self._listeners.add(entry)
        try:
            yield
        finally:
            self._listeners.discard(entry)

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
    wake_ups: WakeUps,
    target: str,
    receive: Callable[[], Awaitable[Sequence[Message]]],
    *,
    poll_seconds: float = POLL_SECONDS,
) -> Sequence[Message]:
    """Returns the first non-empty result of `receive`; starts listening before it looks, so that nothing is missed."""
    with wake_ups.listening(target) as woken:
        while True:
            woken.clear()
            messages = await receive()
            if messages:
                return messages
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(poll_seconds):
                    await woken.wait()
