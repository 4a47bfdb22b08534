"""Workspaces, the repository they come from, and the gates that are run in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from shiftwork.domain.model.gate import Gate, GateReport
from shiftwork.domain.model.ids import Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Names a workspace: a story's `number`-th. Two places never share a path, so a late write goes nowhere."""

    run: str
    story: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One commit on top of `base` that holds all of a story's changes."""

    commit: Commit
    base: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """The story's changes do not merge with `base`."""

    base: Commit
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """The story's changes amount to nothing on top of `base`."""

    base: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The candidate is on `ref`: the branch itself, or another one where moving the branch was not safe."""

    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """The branch is no longer where the candidate was built from."""


class Workspaces(Protocol):
    """Private working trees, one a story. The harness commits; nothing an agent can write to configures its git.

    `renew`, `snapshot` and `restore` raise RepositoryError where the tree is gone: an agent may have removed it.
    """

    async def prepare(self, place: Place, commit: Commit) -> Path:
        """Lay out a clean tree of the commit, with a disposable repository for the agent, and run the setup command.

        What stood at the place before is removed first, so calling again is harmless. Raises RepositoryError where
        the commit cannot be laid out or the setup command fails.
        """
        ...

    async def renew(self, place: Place, commit: Commit) -> Path:
        """Give the agent a fresh repository at the commit, whatever it did to the last one; the tree, whose path is
        given, stays as it is.
        """
        ...

    async def snapshot(self, place: Place, parent: Commit, message: str) -> Commit:
        """Commit the tree as it stands on top of `parent`; `parent` itself where nothing differs."""
        ...

    async def restore(self, place: Place, commit: Commit, keep: Path) -> bool:
        """Return the tree to the commit, ignored files excepted; what differed is first kept as a diff in `keep`.

        Untracked files are in the diff. An existing diff is never overwritten. True where there was anything to keep.
        """
        ...

    async def discard(self, place: Place) -> None:
        """Remove the tree and all that belongs to it; commits stay in the hub. Calling again is harmless."""
        ...


class Repository(Protocol):
    """The user's repository, seen from the hub: where work starts from and lands on."""

    async def tip(self, branch: str) -> Commit:
        """The commit that new work starts from: the branch, or what has landed ahead of it on its holding branch.

        Raises RepositoryError where there is no such branch or it has no commit.
        """
        ...

    async def merged(self, base: Commit, tip: Commit) -> tuple[Commit, tuple[str, ...]]:
        """Merge `base` into `tip`: the merge commit, and the files in which conflict markers stand."""
        ...

    async def candidate(self, branch: str, tip: Commit, message: str) -> Candidate | Conflict | Unchanged:
        """All changes of `tip` as one commit on the branch's present tip; no ref moves."""
        ...

    async def move(self, branch: str, candidate: Candidate) -> Moved | Missed:
        """Compare and swap the branch from the candidate's base to its commit, with the user's checkout where safe.

        Calling again after success gives the same answer and moves nothing.
        """
        ...

    async def unresolved(self, commit: Commit, files: Sequence[str]) -> Sequence[str]:
        """Those of the files in which conflict markers still stand."""
        ...


class Gates(Protocol):
    """Runs checks on exactly one commit."""

    async def check(self, commit: Commit, gates: Sequence[Gate], marker: str) -> GateReport:
        """Lay out the commit in a tree no agent has touched and run every gate there; a red one is no error.

        No process that a gate started is alive afterwards.
        """
        ...
