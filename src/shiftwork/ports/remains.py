"""What runs leave on disk: find it, measure it, keep what has not landed, and remove it."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol

from shiftwork.domain.core.ids import Commit
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """A story that may have left files: `head` is the last commit of its work; `landed` is whether all of it has
    landed.
    """

    run: str
    story: str
    head: Commit
    landed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """How much space is used; weights can be added."""

    workspaces: int = 0
    attempt_folders: int = 0
    refs: int = 0
    bytes: int = 0

    def __add__(self, other: "Weight") -> "Weight":
        return Weight(
            workspaces=self.workspaces + other.workspaces,
            attempt_folders=self.attempt_folders + other.attempt_folders,
            refs=self.refs + other.refs,
            bytes=self.bytes + other.bytes,
        )

    def __sub__(self, other: "Weight") -> "Weight":
        return Weight(
            workspaces=self.workspaces - other.workspaces,
            attempt_folders=self.attempt_folders - other.attempt_folders,
            refs=self.refs - other.refs,
            bytes=self.bytes - other.bytes,
        )


NOTHING = Weight()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneRepository:
    """A repository that is no longer where it was, and what its working trees use."""

    project: str
    checkout: str
    bytes: int


class GoneCaches(Protocol):
    """The working trees and environments of repositories that are gone, in the user's cache folder."""

    async def find(self) -> Sequence[GoneRepository]:
        """Those in which nothing has changed for an hour."""
        ...

    async def remove(self, gone: GoneRepository) -> None:
        """Calling again is harmless."""
        ...


class Remains(Protocol):
    """The state folder, for clean-up. The caller makes sure that no process works on the run.

    The user's own checkout is never touched. Every method may be called twice.
    """

    async def runs(self) -> Sequence[str]:
        """The runs that have left anything, sorted."""
        ...

    async def weigh(self, run: str, *, whole: bool) -> Weight:
        """The size of the run's workspaces; with `whole` also its attempt folders and refs."""
        ...

    async def keep(self, leftover: Leftover) -> Path | None:
        """Write a bundle of all work that has not landed, uncommitted files included; None if there is none.

        A bundle that exists is never written again or overwritten. Raises RepositoryError if the work cannot be kept.
        """
        ...

    async def remove(self, run: str, stories: Sequence[str], *, whole: bool) -> None:
        """Remove the workspaces of these stories, with `whole` also the run's attempt folders and refs.

        Logs, diffs, bundles and notebooks stay.
        """
        ...

    async def cached(self) -> Weight:
        """The trees of gates and the environments that are there for the next run: all of it can be built again."""
        ...

    async def forget_cached(self) -> None:
        """Remove what `cached` weighs. No process may work on any run of the repository."""
        ...

    async def sweep(self, needed: Collection[Commit]) -> Weight:
        """Remove old files that belong to no single run; `needed` are commits that runs still build upon."""
        ...
