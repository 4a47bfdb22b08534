"""Features of a repository that Shiftwork does not support: `doctor` reports them, and runs refuse to start."""

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git.drivers import filters
from shiftwork.adapters.workspace.git.git import OLDEST_GIT, Git
from shiftwork.adapters.workspace.git.user_git import nowhere, unagreed, user_git
from shiftwork.adapters.workspace.tree.untrusted_files import text_of
from shiftwork.errors import PassingGitError, RepositoryError
from shiftwork.git_folders import whereabouts

BARE: Final = "it is bare: it has no checkout"
_NO_COMMIT: Final = "it has no commit yet"
_SHALLOW: Final = "it is a shallow clone"
_SPARSE: Final = "it is a sparse checkout"
_PARTIAL: Final = "it is a partial clone"
_SUBMODULES: Final = "it has submodules: "
_INDEX: Final = "its index cannot be read"
_FILTERED: Final = "its files go through the filter "
_NEEDED_FILTERS: Final = "filter=(lfs|git-crypt)"
_INCOMPLETE: Final = {"core.sparsecheckout": _SPARSE, "extensions.partialclone": _PARTIAL}
_WAYS_OUT: Final = {
    _NO_COMMIT: "git add -A && git commit --allow-empty -m start",
    BARE: "git clone . ../checkout && cd ../checkout",
    _SHALLOW: "git fetch --unshallow",
    _INDEX: "rm .git/index && git reset",
    _SPARSE: "git sparse-checkout disable",
    _PARTIAL: 'git clone "$(git remote get-url origin)" ../whole && cd ../whole',
    _SUBMODULES: "a submodule can be worked on by itself: shiftwork -C SUBMODULE doctor",
    _FILTERED: "git grep -n filter= -- '*.gitattributes' shows where; a branch without that can be worked on",
}


async def unsupported(root: Path, env: Mapping[str, str]) -> Sequence[str]:
    """The reasons, each a part of a sentence, why the repository cannot be worked on; empty if it can."""
    if none := _no_checkout(root):
        return (none,)
    try:
        git = user_git(root=root, state=root, env=env)
        if old := _too_old((await nowhere(git).run("--version")).text):
            return (old,)
        shallow = (await git.run("rev-parse", "--is-shallow-repository")).text == "true"
    except PassingGitError:
        raise
    except RepositoryError as error:
        return (error.message,)
    if not whereabouts(root).worktree and await _is_bare(git):
        return (BARE,)
    if (await git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", accept=(0, 1, 128))).code:
        return (_NO_COMMIT,)
    found = await asyncio.gather(_index(git), _incomplete(git), _submodules(git), _filters(git))
    return (*((_SHALLOW,) if shallow else ()), *(reason for reasons in found for reason in reasons))


def _no_checkout(root: Path) -> str:
    if os.path.lexists(root / ".git"):
        return ""
    bare = (root / "HEAD").is_file() and (root / "objects").is_dir()
    return BARE if bare else f"{root} is not a git repository"


def fixing_command(problem: str) -> str:
    """The command that fixes one of them; for an empty folder it also makes a first commit."""
    return next((way for known, way in _WAYS_OUT.items() if problem.startswith(known)), "")


def _too_old(version: str) -> str:
    found = re.search(r"(\d+)\.(\d+)", version)
    if found and (int(found[1]), int(found[2])) >= tuple(map(int, OLDEST_GIT.split("."))):
        return ""
    return f"git must be {OLDEST_GIT} or newer, and this is {version!r}"


async def _is_bare(git: Git) -> bool:
    """From its settings: with an explicit work tree, git does not check that itself."""
    return (await git.run("config", "--type=bool", "core.bare", accept=(0, 1, 128))).text == "true"


async def _index(git: Git) -> list[str]:
    answer = await git.run("ls-files", "-z", "--unmerged", accept=(0, 1, 128))
    return [f"{_INDEX}: {answer.err}"] if answer.code else []


async def _incomplete(git: Git) -> list[str]:
    pattern = rf"^({'|'.join(re.escape(name) for name in _INCOMPLETE)})$"
    answer = await git.run("config", "-z", "--get-regexp", pattern, accept=(0, 1))
    settings = (part.partition("\n") for part in answer.parts)
    return [_INCOMPLETE[name] for name, _, value in settings if value.lower() not in {"false", "no", "off", "0"}]


async def stopped_filters(git: Git) -> list[str]:
    """The filters that files of the repository go through, and that are off because the user has not agreed."""
    names = filters(unagreed(git, whereabouts(git.cwd)))
    if not names:
        return []
    files = ":(top,glob)**/.gitattributes"
    answer = await git.run("grep", "-h", "-o", "-E", r"filter=[^[:space:]]+", "HEAD", "--", files, accept=(0, 1))
    own = text_of(whereabouts(git.cwd).shared / "info" / "attributes")
    used = {word.partition("=")[2] for word in (*answer.text.split(), *own.split()) if word.startswith("filter=")}
    return sorted(names & used)


async def _submodules(git: Git) -> list[str]:
    listing = await git.run("ls-tree", "-r", "-z", "HEAD")
    paths = [part.partition("\t")[2] for part in listing.parts if part.startswith("160000 ")]
    return [submodules(paths)] if paths else []


def submodules(paths: Sequence[str]) -> str:
    """The reason why a commit with these submodules cannot be worked on."""
    return f"{_SUBMODULES}{', '.join(paths[:5])}"


async def _filters(git: Git) -> list[str]:
    files = ":(top,glob)**/.gitattributes"
    answer = await git.run("grep", "-h", "-o", "-E", _NEEDED_FILTERS, "HEAD", "--", files, accept=(0, 1))
    names = sorted({line.partition("=")[2] for line in answer.text.splitlines()})
    return [f"{_FILTERED}{name!r}, which is never run on agents' work" for name in names]
