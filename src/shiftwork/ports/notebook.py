"""A run's notebook: its memory as pages for people. The program never reads them back: the history is the source."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol


class Notebook(Protocol):
    """Each run has a notebook, which is never deleted. Agents never write to it."""

    async def keep(self, run: str, notes_files: Mapping[str, str]) -> None:
        """Write these texts to the pages with these names; other pages are unchanged. A second call changes nothing.

        A reader sees a page as it was before or after, never half of it. Raises OSError if a page cannot be written.
        """
        ...

    def where(self, run: str) -> Path:
        """The folder that holds the pages; it may not exist yet."""
        ...
