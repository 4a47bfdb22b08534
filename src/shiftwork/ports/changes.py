"""What work has changed: for people to read, and for evidence to be held against."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.proof.verdict import Findings


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One changed file; lines are not counted where it is binary."""

    path: str
    added: int | None
    removed: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """`patch` is what `git apply` takes, as far as it is text."""

    files: tuple[FileChange, ...]
    patch: str


class Changes(Protocol):
    """Reads commits of the user's repository and of agents; writes nothing."""

    async def between(self, base: Commit, tip: Commit) -> Difference:
        """How `tip` differs from `base`, or from its own parent where `base` is empty.

        Raises RepositoryError where one of the commits is not there any more.
        """
        ...

    async def since(self, approved: Patch, candidate: Patch) -> Difference:
        """How `candidate` differs from what `approved` comes to on its base, without what others have changed there.
        Where the two conflict, what `approved` comes to has conflict markers.

        Raises RepositoryError where one of the commits is not there any more.
        """
        ...


class Witness(Protocol):
    """Says what is in a commit. Reads objects alone: nothing of any working tree, and no configuration, has a part."""

    async def look(self, base: Commit, commit: Commit, paths: Sequence[str], names: Sequence[str]) -> Findings:
        """The tree of `commit`; of these paths the text files that are there, with the lines in which they differ from
        `base`; and which test files define a test of each name, in `base` already or not.

        Raises RepositoryError where one of the commits is not there.
        """
        ...

    async def branch_with(self, commit: Commit, branch: str) -> str:
        """The full name of the user's branch, if it has the commit. Where there is no such branch that of another one,
        a remote's too, which has it; empty where none has, or there is no such commit.
        """
        ...

    async def taken_back(self, commit: Commit, branch: str) -> Commit:
        """The commit on this branch, named in full, that says it reverts that one, and that none reverts in turn; empty
        where there is none.
        """
        ...

    async def told(self, commit: Commit) -> tuple[tuple[Commit, ...], str]:
        """The parents of the commit and its message; raises RepositoryError where it is not there."""
        ...
