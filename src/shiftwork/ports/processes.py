"""Finding and ending what earlier attempts have left running."""

from typing import Protocol


class Reaper(Protocol):
    """Knows every process by the marker in its environment, however it was detached."""

    async def end(self, prefix: str) -> int:
        """End every process of this host whose marker begins with `prefix`, and all their descendants.

        Returns how many were ended, when none of them is alive any more. Calling twice is harmless.
        """
        ...

    async def alive(self, prefix: str) -> int:
        """How many such processes live."""
        ...
