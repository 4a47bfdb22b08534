"""A run's notebook: what it remembers, as pages that people read. Nobody reads them back: the history is the truth."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol


class Notebook(Protocol):
    """One notebook a run, kept for good. Agents never write to it."""

    async def keep(self, run: str, pages: Mapping[str, str]) -> None:
        """Have these pages, by their names, show these texts; others stay as they are. A second call changes nothing.

        A reader sees a page as it was or as it is then, never half of it. Raises OSError where one cannot be written.
        """
        ...

    def where(self, run: str) -> Path:
        """The folder in which the pages are, or will be."""
        ...
