"""Finds landed work on a branch, also where a person has rebased, amended or squashed it since."""

from collections.abc import Sequence
from typing import Final

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.adapters.workspace.git.rebased_patch import merge_tree, parted
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.landed_work import LandedWork
from shiftwork.domain.proof.commit_trailers import RUN, stories_named

_MESSAGES: Final = 20_000
_COMMITS: Final = 30
"""How many newest commits are searched for changes that a person has squashed under a message of their own."""


async def has_all(git: Git, tips: Sequence[str], commits: Sequence[str]) -> bool:
    """Whether the tips contain all of the commits: one git, and the usual case. If not, `missing_work` knows more."""
    asked = "\n".join((*commits, *(f"^{tip}" for tip in tips))).encode() + b"\n"
    listed = await git.run("rev-list", "--max-count=1", "--stdin", stdin=asked, accept=(0, 128))
    return not (listed.code or listed.out)


async def missing_work(hub: Hub, tip: Commit, works: Sequence[LandedWork]) -> frozenset[Commit]:
    off = await _off(hub, tip, [work.commit for work in works])
    left = [work for work in works if work.commit in off]
    if not left:
        return frozenset()
    named = await _stories_on(hub, tip)
    left = [work for work in left if (work.run, work.story) not in named]
    return frozenset([work.commit for work in left if not await _has_changes(hub, tip, work, off[0])])


async def _off(hub: Hub, tip: Commit, commits: Sequence[Commit]) -> list[Commit]:
    """Those of the commits that the tip does not contain, the newest first; those that no longer exist come last."""
    asked = "\n".join((*commits, f"^{tip}")).encode() + b"\n"
    wanted = frozenset(commits)
    listed = await hub.git.run("rev-list", "--topo-order", "--ignore-missing", "--stdin", stdin=asked)
    off = [Commit(line) for line in listed.text.splitlines() if line in wanted]
    gone = [commit for commit in commits if commit not in off and not await _exists(hub, commit)]
    return [*off, *gone]


async def _exists(hub: Hub, commit: Commit) -> bool:
    return not (await hub.git.run("cat-file", "-e", f"{commit}^{{commit}}", accept=(0, 1, 128))).code


async def _stories_on(hub: Hub, tip: Commit) -> frozenset[tuple[str, str]]:
    """The runs and stories that messages of the branch name in their trailers."""
    found = await hub.git.run("log", f"--grep={RUN}: ", "--fixed-strings", f"-n{_MESSAGES}", "--format=%B%x00", tip)
    messages = found.out.decode(errors="replace").split("\0")
    return frozenset(pair for message in messages for pair in stories_named(message))


async def _has_changes(hub: Hub, tip: Commit, work: LandedWork, newest: Commit) -> bool:
    """Whether a commit of the branch has the same patch, or its tree has the changes of the work: alone, or together
    with those that landed on it later.
    """
    if not (await _exists(hub, work.commit) and await _exists(hub, work.base)):
        return False
    cherries = await hub.git.run("cherry", tip, work.commit, work.base, accept=(0, 128))
    if cherries.text.startswith("- "):
        return True
    new = await hub.git.run("rev-list", "--first-parent", f"-n{_COMMITS}", tip, f"^{work.base}")
    together = await _exists(hub, newest) and await hub.contains(newest, work.commit)
    ends = dict.fromkeys((work.commit, newest) if together else (work.commit,))
    for at in dict.fromkeys((tip, *map(Commit, new.text.splitlines()))):
        for end in ends:
            sides = await parted(hub, at, end, work.base)
            merged = await merge_tree(hub, *sides)
            if not merged.code and merged.parts[0] == await hub.tree_of(at):
                return True
    return False
