"""Files that a sandboxed program gets by their content: in memory, for this program only, and gone when it ends."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from shiftwork.adapters.processes.supervisor.spawn import Sidecar
from shiftwork.adapters.processes.supervisor.supervise import Spawn
from shiftwork.records import dataclass, replace

_BEFORE: Final = "--chdir"
"""The bubblewrap option before which the files are inserted: by then all folders exist."""


@dataclass(frozen=True, slots=True)
class Lending:
    """Works beside any other sidecar of the program. Writes nothing to disk."""

    files: Mapping[Path, str]
    other: Sidecar | None = None

    @property
    def remarks(self) -> tuple[str, ...]:
        return self.other.remarks if self.other else ()

    @asynccontextmanager
    async def beside(self, spawn: Spawn) -> AsyncIterator[Spawn]:
        if self.other:
            async with self.other.beside(spawn) as ready, self._lent(ready) as lent:
                yield lent
        else:
            async with self._lent(spawn) as lent:
                yield lent

    @asynccontextmanager
    async def _lent(self, spawn: Spawn) -> AsyncIterator[Spawn]:
        opened = {place: _opened(text) for place, text in self.files.items()}
        try:
            named = (("--perms", "0600", "--file", str(file), str(place)) for place, file in opened.items())
            at = spawn.argv.index(_BEFORE)
            argv = (*spawn.argv[:at], *(word for words in named for word in words), *spawn.argv[at:])
            yield replace(spawn, argv=argv, inherits=(*spawn.inherits, *opened.values()))
        finally:
            for file in opened.values():
                os.close(file)


def _opened(text: str) -> int:
    file = os.memfd_create("lent", os.MFD_CLOEXEC)
    content = text.encode()
    while content:
        content = content[os.write(file, content) :]
    os.lseek(file, 0, os.SEEK_SET)
    return file
