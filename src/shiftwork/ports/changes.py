"""What work has changed, for people to read."""

from dataclasses import dataclass
from typing import Protocol

from shiftwork.domain.model.ids import Commit


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
