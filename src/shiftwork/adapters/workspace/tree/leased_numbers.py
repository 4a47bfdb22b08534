"""Numbers that only one tree on this machine has at a time: its ports and names derive from them.

Each is a lock file, held by an open descriptor, so that it is free again when its holder dies. All projects of a user
share the folder: two repositories in use at the same time never share a port.
"""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import chain
from pathlib import Path
from typing import Final

from shiftwork.errors import RepositoryError
from shiftwork.records import dataclass, field

_POLL_SECONDS: Final = 0.05


def locked(file: Path) -> int | None:
    """Locks the file and returns the descriptor, which the caller closes; None if another process holds the lock."""
    held = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        return None
    return held


@asynccontextmanager
async def alone(file: Path) -> AsyncIterator[None]:
    """Waits for the lock until its holder releases it or dies, and holds it."""
    while (held := locked(file)) is None:  # noqa: ASYNC110 - another process releases it
        await asyncio.sleep(_POLL_SECONDS)
    try:
        yield
    finally:
        os.close(held)


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The numbers from 0 to `most` of one kind. `held` are those of this process, by owner, with their descriptors."""

    folder: Path
    kind: str
    most: int
    held: dict[str, tuple[int, int]] = field(default_factory=dict)

    def lease(self, owner: str, wanted: int) -> int:
        """The owner's number, which it keeps until release or the end of the process: the wanted number, so that it is
        mostly the same as before, else the lowest free number. Raises RepositoryError if none is free.
        """
        if owner not in self.held:
            self.held[owner] = self._free(wanted)
        return self.held[owner][0]

    def release(self, owner: str) -> None:
        if owner in self.held:
            os.close(self.held.pop(owner)[1])

    def release_all(self) -> None:
        for owner in tuple(self.held):
            self.release(owner)

    @contextmanager
    def leased(self, owner: str, wanted: int) -> Iterator[int]:
        try:
            yield self.lease(owner, wanted)
        finally:
            self.release(owner)

    def _free(self, wanted: int) -> tuple[int, int]:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for number in chain((wanted,) if wanted < self.most else (), range(self.most)):
                if (descriptor := locked(self.folder / f"{self.kind}-{number}.lock")) is not None:
                    return number, descriptor
        except OSError as error:
            reason = f"ports and names for a tree cannot be leased: {error}"
            raise RepositoryError(reason, hint=f"see who may write there: ls -ld {self.folder}") from error
        reason = f"all {self.most} ranges of ports for {self.kind} are in use on this machine"
        raise RepositoryError(reason, hint="end a run, or run fewer stories at once: run --parallel N")
