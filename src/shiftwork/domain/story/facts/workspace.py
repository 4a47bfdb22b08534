"""Facts about the workspace of a story."""

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspacePrepared(Fact):
    """A workspace was created from `base`; `number` counts a story's workspaces from 1."""

    number: int
    base: Commit
    head: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceLost(Fact):
    """The workspace is missing or unusable; the next workspace is created at another path."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceReleased(Fact):
    number: int
