"""Wakes tasks that wait for a message when one is posted, in any thread or event loop."""

import asyncio
import contextlib
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence

from shiftwork.domain.core.ids import Stream
from shiftwork.ports.store import Message

type _Waiter = tuple[asyncio.AbstractEventLoop, asyncio.Event]
type _Listener = tuple[asyncio.AbstractEventLoop, Callable[[Stream], None]]


class WakeUps:
    """Wakes all who wait for a target, and calls all who listen to every target."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiters: defaultdict[str, set[_Waiter]] = defaultdict(set)
        self._listeners: list[_Listener] = []

    def wake(self, target: str) -> None:
        with self._lock:
            waiters, listeners = tuple(self._waiters.get(target, ())), tuple(self._listeners)
        for loop, woken in waiters:
            _call(loop, woken.set)
        for loop, call in listeners:
            _call(loop, call, Stream(target))

    def wake_waiters(self) -> None:
        """Wakes all who wait, because it is unknown what was posted; each looks for itself."""
        with self._lock:
            waiters = [waiter for each in self._waiters.values() for waiter in each]
        for loop, woken in waiters:
            _call(loop, woken.set)

    @contextlib.contextmanager
    def waiting(self, target: str) -> Iterator[asyncio.Event]:
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

    @contextlib.contextmanager
    def listening(self, woken: Callable[[Stream], None]) -> Iterator[None]:
        listener = (asyncio.get_running_loop(), woken)
        with self._lock:
            self._listeners.append(listener)
        try:
            yield
        finally:
            with self._lock:
                self._listeners.remove(listener)


def _call(loop: asyncio.AbstractEventLoop, call: Callable[..., object], *args: object) -> None:
    # If the loop is already closed, there is nothing to wake.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call, *args)


async def first_messages(
    wake_ups: WakeUps, target: str, receive: Callable[[], Awaitable[Sequence[Message]]], seconds: float | None
) -> Sequence[Message]:
    """Returns the first non-empty result of `receive`, or its result after so many seconds without a wake-up. It starts
    waiting before it reads, so that nothing is missed, and never interrupts a read: a busy store, or a process that was
    suspended, would otherwise look like an inbox without messages.
    """
    loop = asyncio.get_running_loop()
    until = None if seconds is None else loop.time() + seconds
    with wake_ups.waiting(target) as woken:
        while True:
            is_last = until is not None and loop.time() >= until and not woken.is_set()
            woken.clear()
            if (messages := await receive()) or is_last:
                return messages
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await woken.wait()
