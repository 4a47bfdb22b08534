"""The port CommitInspector on git: reads objects of the hub with plumbing commands that run no other programs."""

import os
import re
from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.adapters.workspace.git.affected_paths import affected
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.proof.test_definitions import defines, may_define
from shiftwork.domain.proof.verdict import FileFound, Findings, NameFound
from shiftwork.errors import RepositoryError
from shiftwork.records import dataclass
from shiftwork.regexes import regex

_PLAIN: Final = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--unified=0",
    "--inter-hunk-context=0",
)
_HUNK: Final = regex(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_FILES: Final = 100
"""How many files are searched for a name: it is the name of one test."""

_MOST: Final = 200
"""How many citations and tests of a story are looked up; each needs a few git commands."""

_LONGEST: Final = 4096
_LARGEST: Final = 8 * 1024 * 1024

_ODD: Final = frozenset({".", "..", ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class GitCommitInspector:
    """See `ports.changes`."""

    hub: Hub

    async def look(self, base: Commit, commit: Commit, paths: Sequence[str], names: Sequence[str]) -> Findings:
        tree = await self._tree(commit)
        await self._tree(base)
        files = [found for path in paths[:_MOST] if (found := await self._file(base, commit, path))]
        named = [await self._name(base, commit, name) for name in names[:_MOST]]
        return Findings(tree=tree, files=tuple(files), names=tuple(named))

    async def affected(self, base: Commit, commit: Commit) -> Sequence[str]:
        return await affected(self.hub, base, commit)

    async def branch_with(self, commit: Commit, branch: str) -> str:
        own = f"refs/heads/{branch}"
        gone = (await self.hub.user.run("show-ref", "--verify", "--quiet", own, accept=(0, 1, 128))).code
        where = ("refs/heads", "refs/remotes") if gone else (own,)
        wanted = ("for-each-ref", "--format=%(HEAD)%(refname)", "--contains", commit, *where)
        found = (await self.hub.user.run(*wanted, accept=(0, 128, 129))).text.splitlines()
        named = [line for line in found if not line.endswith("/HEAD")]
        likeliest = min(named, key=lambda line: (not line.endswith(f"/{branch}"), not line.startswith("*")), default="")
        return likeliest.lstrip("* ")

    async def revert_of(self, commit: Commit, branch: str) -> Commit:
        said = f"--grep=^This reverts commit {commit}"
        found = (await self.hub.user.run("rev-list", "--basic-regexp", said, f"{commit}..{branch}")).text.split()
        for revert in map(Commit, found):
            if not await self.revert_of(revert, branch):
                return revert
        return Commit("")

    async def parents_and_message(self, commit: Commit) -> tuple[tuple[Commit, ...], str]:
        await self._tree(commit)
        raw = (await self.hub.git.run("cat-file", "commit", commit)).out.decode(errors="replace")
        head, _, message = raw.partition("\n\n")
        named = (line.partition(" ") for line in head.splitlines())
        return tuple(Commit(value) for key, _, value in named if key == "parent"), message

    async def _tree(self, commit: Commit) -> str:
        if commit in self.hub.trees:
            return self.hub.trees[commit]
        wanted = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}")
        answer = await self.hub.git.run(*wanted, accept=(0, 1, 128))
        if answer.code:
            raise RepositoryError(f"the commit {commit} does not exist", hint="git log --all shows all commits")
        return answer.text

    async def _file(self, base: Commit, commit: Commit, path: str) -> FileFound | None:
        if not _is_askable(path) or _ODD & set(path.split("/")) or not await self._is_small(commit, path):
            return None
        blob = await self.hub.git.run("cat-file", "blob", f"{commit}:{path}", accept=(0, 128))
        if blob.code or b"\0" in blob.out:
            return None
        lines = blob.out.count(b"\n") + (bool(blob.out) and not blob.out.endswith(b"\n"))
        patch = await self.hub.git.run("diff", *_PLAIN, base, commit, "--", f":(literal,top){path}")
        return FileFound(path=path, lines=lines, changed=tuple(_written(patch.out)))

    async def _name(self, base: Commit, commit: Commit, name: str) -> NameFound:
        files = await self._files_defining(commit, name)
        known = await self._files_defining(base, name) if files else ()
        return NameFound(name=name, files=files, before=tuple(path for path in files if path in known))

    async def _files_defining(self, commit: Commit, name: str) -> tuple[str, ...]:
        if "\n" in name or not _is_askable(name):
            return ()
        options = ("grep", "-z", "--name-only", "-I", "--fixed-strings", "--word-regexp", "-e", name, commit, "--")
        found = (await self.hub.git.run(*options, accept=(0, 1))).parts
        named = [path for file in found if may_define(path := file.removeprefix(f"{commit}:"))]
        return tuple([path for path in named[:_FILES] if defines(name, path, await self._text(commit, path))])

    async def _is_small(self, commit: Commit, path: str) -> bool:
        """Whether it is a file that fits in memory; other objects have no size, or that of a listing."""
        size = (await self.hub.git.run("cat-file", "-s", f"{commit}:{path}", accept=(0, 128))).text
        return size.isdecimal() and int(size) <= _LARGEST

    async def _text(self, commit: Commit, path: str) -> str:
        if not await self._is_small(commit, path):
            return ""
        blob = await self.hub.git.run("cat-file", "blob", f"{commit}:{path}")
        return blob.out.decode(errors="replace")


def _is_askable(text: str) -> bool:
    """Whether git accepts it: arguments have a maximum length, and half a surrogate pair has no bytes."""
    try:
        return 0 < len(os.fsencode(text)) <= _LONGEST and "\0" not in text
    except UnicodeEncodeError:
        return False


def _written(patch: bytes) -> Iterator[tuple[int, int]]:
    """The first and last line of each hunk's new side."""
    for hunk in _HUNK.finditer(patch):
        first, count = int(hunk[1]), int(hunk[2] or 1)
        if count:
            yield first, first + count - 1
