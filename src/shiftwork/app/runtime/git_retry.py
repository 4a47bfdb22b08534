"""Retries an operation whose git process was killed: the repository itself is fine then."""

from collections.abc import Awaitable, Callable
from typing import Final

from shiftwork.errors import GitKilledError

TRIES: Final = 3
"""If git is killed more often than this in a row, it is on purpose, or the machine stays out of memory."""


async def again[T](do: Callable[[], Awaitable[T]], tries: int = TRIES) -> T:
    """Returns the result of `do`, which must be safe to call again; raises the error of the last try."""
    try:
        return await do()
    except GitKilledError:
        if tries <= 1:
            raise
        return await again(do, tries - 1)
