"""Runs queries without an event loop."""

from collections.abc import Callable, Coroutine
from typing import Any


def answer[T](ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of a coroutine that only reads. The readers of commands never suspend, so it ends in one step, and
    asyncio (slower to import than the whole of `status`) is not needed.
    """
    asked = ask()
    try:
        asked.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    asked.close()
    raise RuntimeError("a query has suspended")
