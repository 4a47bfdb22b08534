"""Retries an operation whose git failed for a reason that passes: the repository itself is fine then."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from shiftwork.errors import PassingGitError

_PAUSES: Final = (0.2, 1.5)
"""Seconds before the second and the third try. If all three fail, the reason does not pass: git is killed on purpose, a
lock is not released, or the machine stays out of memory.
"""


async def again[T](do: Callable[[], Awaitable[T]]) -> T:
    """Returns the result of `do`, which must be safe to call again; raises the error of the last try."""
    for seconds in _PAUSES:
        try:
            return await do()
        except PassingGitError:
            await asyncio.sleep(seconds)
    return await do()
