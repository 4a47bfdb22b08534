"""What runs leave on disk: found, weighed, kept where it has not landed, and removed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from shiftwork.domain.core.ids import Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """A story that may have left something: `head` is the last commit of its work, all of it landed or not."""

    run: str
    story: str
    head: Commit
    landed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """How much there is; it adds up."""

    workspaces: int = 0
    desks: int = 0
    refs: int = 0
    bytes: int = 0

    def __add__(self, other: "Weight") -> "Weight":
        return Weight(
            workspaces=self.workspaces + other.workspaces,
            desks=self.desks + other.desks,
            refs=self.refs + other.refs,
            bytes=self.bytes + other.bytes,
        )

    def __sub__(self, other: "Weight") -> "Weight":
        return Weight(
            workspaces=self.workspaces - other.workspaces,
            desks=self.desks - other.desks,
            refs=self.refs - other.refs,
            bytes=self.bytes - other.bytes,
        )


NOTHING = Weight()


class Remains(Protocol):
    """The state folder, seen by whoever cleans up. Whoever calls makes sure that nobody works on the run.

    The user's own checkout is never touched. Everything may be called twice.
    """

    async def runs(self) -> Sequence[str]:
        """The runs of which there is anything, in order."""
        ...

    async def weigh(self, run: str, *, whole: bool) -> Weight:
        """The run's workspaces; the `whole` of it has its desks and refs too."""
        ...

    async def keep(self, leftover: Leftover) -> Path | None:
        """Write a bundle of all that has not landed, uncommitted files included; None where there is no such thing.

        What was kept before is not written again, and never over. Raises RepositoryError where it cannot be kept.
        """
        ...

    async def remove(self, run: str, stories: Sequence[str], *, whole: bool) -> None:
        """Remove the workspaces of these stories, with the `whole` run's desks and refs.

        Logs, diffs, bundles and notebooks stay.
        """
        ...

    async def sweep(self, needed: Collection[Commit]) -> Weight:
        """Remove what belongs to no one run and is some time old; `needed` are commits that runs still build upon."""
        ...
