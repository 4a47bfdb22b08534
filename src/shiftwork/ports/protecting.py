"""What a change does to the tests and the gate configuration that judge it, and a candidate without that."""

from collections.abc import Sequence
from typing import Protocol

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.tampering.findings import Patch, Touched


class Protecting(Protocol):
    """Reads changes by the harness's own git; no ref moves."""

    async def touched(self, base: Commit, tip: Commit) -> Sequence[Touched]:
        """Every path in which the two differ; one that was renamed is both deleted and added."""
        ...

    async def patch(self, base: Commit, tip: Commit, paths: Sequence[str]) -> Patch:
        """What differs in these paths, as text whatever it is; bounded, so that it may not have the last of them."""
        ...

    async def keep_aside(
        self, run: RunId, story: StoryId, between: tuple[Commit, Commit], paths: Sequence[str]
    ) -> None:
        """Keep what differs in these paths as the story's patch, and all patches of the run as one. Calling again
        replaces the story's.
        """
        ...

    async def restored(self, base: Commit, commit: Commit, back: Sequence[str], out: Sequence[str]) -> Commit:
        """A commit with the files of `commit`, but for the paths `back` and `out`, which are as `base` has them; those
        of `back` that it does not have stay. It is `commit` itself where that is the same. Calling again gives a commit
        with the same tree.
        """
        ...

    async def keyed(self, base: Commit, commit: Commit, paths: Sequence[str]) -> Commit:
        """A commit with the files of `commit`, except what configures test runners in these paths, which is as `base`
        has it (`domain.tampering.runner_keys`). A file that cannot be read is as `base` has it. It is
        `commit` itself where that is the same.
        """
        ...
