"""Reads what work has changed: for people to review, and to check evidence against."""

from collections.abc import Sequence
from typing import Protocol

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.patch import FileChange, Patch
from shiftwork.domain.proof.verdict import Findings
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """`patch` is input for `git apply`, as far as it is text."""

    files: tuple[FileChange, ...]
    patch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """The first lines of a patch; `cut` says that it has more."""

    patch: str
    cut: bool


class Changes(Protocol):
    """Reads commits of the user's repository and of agents; writes nothing."""

    async def between(self, base: Commit, tip: Commit) -> Difference:
        """How `tip` differs from `base`, or from its own parent if `base` is empty.

        Raises RepositoryError if a commit no longer exists.
        """
        ...

    async def beginning(self, base: Commit, tip: Commit, most: int) -> Beginning:
        """The patch of `between`, as many whole lines as have at most so many bytes; no more than that is in memory.

        Raises as `between` does.
        """
        ...

    async def since(self, approved: Patch, candidate: Patch) -> Difference:
        """How `candidate` differs from `approved` applied to the candidate's base, without changes by others there.

        If the two conflict, the applied `approved` contains conflict markers. Raises RepositoryError if a commit no
        longer exists.
        """
        ...


class CommitInspector(Protocol):
    """Reports what is in a commit. Reads git objects only, never a working tree or configuration."""

    async def look(self, base: Commit, commit: Commit, paths: Sequence[str], names: Sequence[str]) -> Findings:
        """The tree of `commit`; those of `paths` that exist as text files, with the lines that differ from `base`; and
        which test files define a test with each of `names`, and whether `base` already has it.

        Raises RepositoryError if a commit does not exist.
        """
        ...

    async def affected(self, base: Commit, commit: Commit) -> Sequence[str]:
        """Every path in which the two differ, by its old and its new name, and every link of either that leads to one.
        A path that ends with a slash stands for everything below it too.

        Raises RepositoryError if a commit does not exist.
        """
        ...

    async def branch_with(self, commit: Commit, branch: str) -> str:
        """The full name of the user's branch if it contains the commit. If that branch does not exist, another branch
        that contains it, remote branches included; empty if no branch contains it or the commit does not exist.
        """
        ...

    async def revert_of(self, commit: Commit, branch: str) -> Commit:
        """The commit on this branch (full name) that says it reverts `commit` and is not itself reverted; empty if
        there is none.
        """
        ...

    async def parents_and_message(self, commit: Commit) -> tuple[tuple[Commit, ...], str]:
        """The parents of the commit and its message; raises RepositoryError if it does not exist."""
        ...
