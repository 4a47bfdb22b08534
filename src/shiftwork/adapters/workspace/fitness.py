"""What a repository has that work cannot start from: told by `doctor`, and refused before anything is touched."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git import Git, user_git
from shiftwork.errors import GitKilledError, RepositoryError

OLDEST_GIT: Final = (2, 38)
"""The first with `merge-tree --write-tree`."""

_NO_COMMIT: Final = "it has no commit yet"
_NEEDED_FILTERS: Final = "filter=(lfs|git-crypt)"
_INCOMPLETE: Final = {
    "core.sparsecheckout": "it is a sparse checkout",
    "extensions.partialclone": "it is a partial clone",
}


async def unsupported(root: Path, env: Mapping[str, str]) -> Sequence[str]:
    """The reasons, each a sentence part about the repository, why it cannot be worked on; none where it can."""
    try:
        git = user_git(root=root, state=root, env=env)
        old = _too_old((await git.run("--version")).text)
        if old:
            return (old,)
        shape = await git.run("rev-parse", "--is-bare-repository", "--is-shallow-repository", accept=(0, 128))
    except GitKilledError:
        raise
    except RepositoryError as error:
        return (error.message,)
    if shape.code:
        return (f"{root} is not a git repository",)
    bare, shallow = (line == "true" for line in shape.text.splitlines())
    if bare:
        return ("it is bare: it has no checkout",)
    if (await git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", accept=(0, 1, 128))).code:
        return (_NO_COMMIT,)
    found = await asyncio.gather(_incomplete(git), _submodules(git), _filters(git))
    return (*(("it is a shallow clone",) if shallow else ()), *(reason for reasons in found for reason in reasons))


def mending(problems: Sequence[str]) -> str:
    """What to type where that is all there is to it; an empty folder has a first commit by it, too."""
    return "git add -A && git commit --allow-empty -m start" if tuple(problems) == (_NO_COMMIT,) else ""


def _too_old(version: str) -> str:
    found = re.search(r"(\d+)\.(\d+)", version)
    if found and (int(found[1]), int(found[2])) >= OLDEST_GIT:
        return ""
    return f"git must be {'.'.join(map(str, OLDEST_GIT))} or newer, and this is {version!r}"


async def _incomplete(git: Git) -> list[str]:
    pattern = rf"^({'|'.join(re.escape(name) for name in _INCOMPLETE)})$"
    answer = await git.run("config", "-z", "--get-regexp", pattern, accept=(0, 1))
    settings = (part.partition("\n") for part in answer.parts)
    return [_INCOMPLETE[name] for name, _, value in settings if value.lower() not in {"false", "no", "off", "0"}]


async def _submodules(git: Git) -> list[str]:
    listing = await git.run("ls-tree", "-r", "-z", "HEAD")
    paths = [part.partition("\t")[2] for part in listing.parts if part.startswith("160000 ")]
    return [f"it has submodules: {', '.join(paths[:5])}"] if paths else []


async def _filters(git: Git) -> list[str]:
    files = ":(top,glob)**/.gitattributes"
    answer = await git.run("grep", "-h", "-o", "-E", _NEEDED_FILTERS, "HEAD", "--", files, accept=(0, 1))
    names = sorted({line.partition("=")[2] for line in answer.text.splitlines()})
    return [f"its files go through the filter {name!r}, which is never run on agents' work" for name in names]
