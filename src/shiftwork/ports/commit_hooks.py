"""The team's own check of commit messages."""

from typing import Protocol

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.landing.commit_hook import HookAnswer


class CommitHooks(Protocol):
    """Asks the commit-msg hook, or what stands for it, of one commit (`domain.landing.commit_hook`)."""

    async def ask(self, base: Commit, message: str, marker: str) -> HookAnswer | None:
        """Run the hook of `base` on the message, in a tree of `base` and its environment, as gates run; none of its
        processes is alive afterwards. Returns None if no hook is in force there. A hook that cannot be run, or that
        takes too long, has refused the message, and the output says why. May be called again.
        """
        ...

    async def hooks_folder(self) -> str:
        """The folder of the tree in which git looks for hooks; empty if it is elsewhere or not set."""
        ...


class NoCommitHooks:
    """For a repository without a hook."""

    async def hooks_folder(self) -> str:
        return ""

    async def ask(self, base: Commit, message: str, marker: str) -> HookAnswer | None:
        del base, message, marker
        return None
