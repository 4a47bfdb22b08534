"""Runs queries without an event loop where none is needed."""

from collections.abc import Callable, Coroutine
from typing import Any


def answer[T](ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of the coroutine.

    Reading SQLite never suspends, so its coroutine ends after one step, and asyncio (slower to import than the whole of
    `status`) is not needed. A coroutine that suspends, as with Postgres, runs again on an event loop: queries only
    read, so running one twice is harmless.
    """
    first = ask()
    try:
        first.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    except RuntimeError:  # it needs an event loop
        pass
    finally:
        first.close()
    import asyncio  # noqa: PLC0415 - see above

    return asyncio.run(ask())
