"""What a git that was killed had begun is done anew: nothing is wrong with the repository then."""

from collections.abc import Awaitable, Callable
from typing import Final

from shiftwork.errors import GitKilledError

TRIES: Final = 3
"""Whoever kills git more often than this, one time after another, means it, or is out of memory for good."""


async def again[T](do: Callable[[], Awaitable[T]], tries: int = TRIES) -> T:
    """What `do` gives, which must be safe to be called again; the last time its error is the caller's."""
    try:
        return await do()
    except GitKilledError:
        if tries <= 1:
            raise
        return await again(do, tries - 1)
