"""What prevents that a branch is moved together with the user's checkout."""

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """What prevents moving a branch: `files` with the user's edits, or else `why`; if both are empty, nothing does.
    `tree` is the worktree that has the branch checked out, if it is not the current worktree.
    """

    files: tuple[str, ...] = ()
    why: str = ""
    tree: str = ""
