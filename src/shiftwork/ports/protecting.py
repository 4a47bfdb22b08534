"""Finds changes to the tests and the gate configuration that judge a change, and builds candidates without them."""

from collections.abc import Sequence
from typing import Protocol

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.tampering.findings import Patch, Touched


class Protecting(Protocol):
    """Reads changes with the harness's own git; moves no ref."""

    async def touched(self, base: Commit, tip: Commit) -> Sequence[Touched]:
        """Every path in which the two differ; a renamed file counts as deleted and added. Sizes are of files
        of a megabyte and more.
        """
        ...

    async def patch(self, base: Commit, tip: Commit, paths: Sequence[str]) -> Patch:
        """The differences in these paths, always as text; limited in size, so the last paths may be missing."""
        ...

    async def keep_left_out(
        self, run: RunId, story: StoryId, between: tuple[Commit, Commit], paths: Sequence[str]
    ) -> None:
        """Store the differences in these paths as the story's patch, and all patches of the run as a single patch.
        Calling again replaces the story's patch.
        """
        ...

    async def restored(self, base: Commit, commit: Commit, back: Sequence[str], out: Sequence[str]) -> Commit:
        """A commit with the files of `commit`, except the paths `back` and `out`, which are as in `base`; paths of
        `back` that `base` does not have stay. It is `commit` itself if nothing differs. Calling again gives a commit
        with the same tree.
        """
        ...

    async def keyed(self, base: Commit, commit: Commit, paths: Sequence[str]) -> Commit:
        """A commit with the files of `commit`, except the test runner configuration in these paths, which is as in
        `base` (`domain.tampering.runner_keys`). An unreadable file is as in `base`. It is `commit` itself if nothing
        differs.
        """
        ...
