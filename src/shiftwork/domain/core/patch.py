"""Patches, and the files that they change."""

from shiftwork.domain.core.ids import Commit
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """All of a story's changes as one commit on `base`."""

    base: Commit
    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A changed file; the line counts are None if it is binary."""

    path: str
    added: int | None
    removed: int | None
