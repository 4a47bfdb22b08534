"""Gets an answer out of the queries without an event loop where none is needed."""

from collections.abc import Callable, Coroutine
from typing import Any


def answer[T](ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What the coroutine returns.

    Reading SQLite never suspends, so its coroutine is over after one step, and asyncio (slower to import than the
    whole of `status`) is not needed. What does suspend, as Postgres does, is asked anew on an event loop: asking is
    reading, so twice is harmless.
    """
    first = ask()
    try:
        first.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    except RuntimeError:  # there is no event loop, and one is needed
        pass
    finally:
        first.close()
    import asyncio  # noqa: PLC0415 - see above

    return asyncio.run(ask())
