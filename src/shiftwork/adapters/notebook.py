"""The notebook as files: `<state>/runs/<run>/`, beside the desks of the run, and left there when these are cleared."""

import asyncio
from collections.abc import Mapping
from pathlib import Path


class FolderNotebook:
    """See `ports.notebook`."""

    def __init__(self, state: Path) -> None:
        self._runs = state / "runs"

    async def keep(self, run: str, pages: Mapping[str, str]) -> None:
        await asyncio.to_thread(_keep, self.where(run), pages)

    def where(self, run: str) -> Path:
        return self._runs / run


def _keep(folder: Path, pages: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        # Always the same name: what somebody who died has left is overwritten, and so does not gather.
        partial = folder / f".{name}.part"
        partial.write_text(text, encoding="utf-8", errors="replace")
        partial.replace(folder / name)
