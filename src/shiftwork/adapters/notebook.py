"""The notebook as files in `<state>/runs/<run>/`, beside the run's attempt folders, and kept when these are cleared."""

import asyncio
from collections.abc import Mapping
from pathlib import Path


class FolderNotebook:
    """See `ports.notebook`."""

    def __init__(self, state: Path) -> None:
        self._runs = state / "runs"

    async def keep(self, run: str, notes_files: Mapping[str, str]) -> None:
        await asyncio.to_thread(_keep, self.where(run), notes_files)

    def where(self, run: str) -> Path:
        return self._runs / run


def _keep(folder: Path, notes_files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in notes_files.items():
        # Always the same name, so that a file left by a crashed process is overwritten.
        partial = folder / f".{name}.part"
        partial.write_text(text, encoding="utf-8", errors="replace")
        partial.replace(folder / name)
