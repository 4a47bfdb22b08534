"""Processes beside this one: those that earlier attempts left running, and those that work on runs for a server."""

from collections.abc import Sequence
from typing import Protocol

from shiftwork.domain.core.ids import RunId
from shiftwork.ports.views import Owner
from shiftwork.records import dataclass


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """A worker that has ended: its exit code, None if it was not started here; its age in seconds, and its last words
    about an error.
    """

    run: RunId
    code: int | None
    seconds: float
    said: str = ""


class Workers(Protocol):
    """One process for each run, so that a crash of one run never touches another.

    Who may work on a run is decided by its lease alone. So an adapter may start processes on other hosts: a worker
    that was started twice, or is cut off, loses the lease and stops by itself.
    """

    def start(self, run: RunId, folder: str) -> None:
        """Start a process that continues the run in this checkout, and ends when the run has ended or needs a person.
        An error to start is an ending.
        """
        ...

    def adopt(self, run: RunId, owner: Owner) -> bool:
        """Watch a process that works on the run already, from an earlier server; False if it cannot be watched from
        here.
        """
        ...

    def ended(self) -> Sequence[Ending]:
        """The workers that have ended since the last call."""
        ...

    async def stop(self) -> None:
        """Ask all workers to end in order, and wait until they have."""
        ...
