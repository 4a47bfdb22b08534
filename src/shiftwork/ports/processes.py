"""Finds and ends processes that earlier attempts left running."""

from typing import Protocol


class Reaper(Protocol):
    """Finds every process by the marker in its environment, even if it was detached."""

    async def end(self, prefix: str) -> int:
        """End every process of this host whose marker starts with `prefix`, and all their descendants.

        Returns how many were ended, once none of them is alive. Calling twice is harmless.
        """
        ...

    async def alive(self, prefix: str) -> int:
        """How many such processes are alive."""
        ...
