"""What a story has landed, as a branch is searched for it later."""

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LandedWork:
    """The commit of a story of a run, and the commit below it."""

    run: RunId
    story: StoryId
    commit: Commit
    base: Commit
