"""The conflict forecast port on git: merges every pair of stories in one process, without a checkout or new objects."""

import itertools
import os
import tempfile
from collections.abc import Iterator, Sequence

from shiftwork.adapters.workspace.hub.hub import Hub, slug
from shiftwork.adapters.workspace.tree.untrusted_files import text_of
from shiftwork.ports.workspace import StoryConflict
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GitConflictForecast:
    """Reads the heads that are pinned in the hub after every step."""

    hub: Hub

    async def conflicts(self, run: str, stories: Sequence[str]) -> Sequence[StoryConflict]:
        heads = {story: head for story in stories if (head := self._head(run, story))}
        pairs = list(itertools.combinations(heads, 2))
        if not pairs:
            return ()
        asked = "".join(f"{heads[first]} {heads[second]}\n" for first, second in pairs).encode()
        with tempfile.TemporaryDirectory(dir=self.hub.state) as scratch:
            # Git writes temporary objects here while merging.
            git = self.hub.git.at(
                self.hub.path,
                GIT_OBJECT_DIRECTORY=scratch,
                GIT_ALTERNATE_OBJECT_DIRECTORIES=str(self.hub.path / "objects"),
            )
            options = ("--write-tree", "--allow-unrelated-histories", "--stdin", "-z", "--name-only", "--no-messages")
            answer = await git.run("merge-tree", *options, stdin=asked)
        results = zip(pairs, _conflicts(answer.out), strict=True)
        return tuple(StoryConflict(stories=pair, files=files) for pair, files in results if files)

    def _head(self, run: str, story: str) -> str:
        return text_of(self.hub.path / "refs" / "shiftwork" / slug(run) / slug(story) / "head")


def _conflicts(out: bytes) -> Iterator[tuple[str, ...]]:
    """The conflicting files of every merge; git prints a status, a tree, the files, and an empty part."""
    parts = iter(out.split(b"\0")[:-1])
    for _status in parts:
        next(parts)
        files = itertools.takewhile(bool, parts)
        yield tuple(dict.fromkeys(os.fsdecode(file) for file in files))
