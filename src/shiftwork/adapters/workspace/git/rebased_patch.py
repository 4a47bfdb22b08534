"""Applies a patch to another base with git's own merge, and checks whether a candidate equals the result."""

from shiftwork.adapters.workspace.git.git import Answer
from shiftwork.adapters.workspace.git.name_status import Row
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.patch import Patch
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """The tree that results from a patch. The files in `conflicts` contain conflict markers."""

    tree: str
    conflicts: tuple[str, ...]


async def carried(hub: Hub, patch: Patch, onto: Commit) -> Carried:
    if patch.base == onto:
        return Carried(tree=await hub.tree_of(patch.commit), conflicts=())
    sides = (onto, patch.commit)
    if not await hub.contains(onto, patch.base):
        sides = await parted(hub, onto, patch.commit, patch.base)
    tree, *files = (await merge_tree(hub, *sides)).parts
    return Carried(tree=tree, conflicts=tuple(dict.fromkeys(files)))


async def departed(hub: Hub, candidate: Patch, approved: Patch) -> tuple[str, ...]:
    """The files in which the candidate differs from the approved patch applied to its base."""
    expected = await carried(hub, approved, candidate.base)
    own = await hub.tree_of(candidate.commit)
    paths = [row.path for row in await hub.differing(expected.tree, own)]
    return tuple(dict.fromkeys((*expected.conflicts, *paths, *await _astray(hub, candidate, approved))))


async def _astray(hub: Hub, candidate: Patch, approved: Patch) -> list[str]:
    """The files of a candidate on another base that differ from a merge without rename detection.

    Git treats similar files as renamed, and so may apply a change to a path that is not in the patch; before version
    2.50 no option of `merge-tree` prevents that.
    """
    if approved.base == candidate.base:
        return []
    pairs = (
        (approved.base, approved.commit),
        (approved.base, candidate.base),
        (candidate.base, candidate.commit),
        (approved.commit, candidate.commit),
    )
    mine, theirs, landing, changed = [{row.path: row for row in await hub.differing(old, new)} for old, new in pairs]
    unseen = landing.keys() - mine.keys()
    lost = (mine.keys() - theirs.keys()) & changed.keys()
    made = {path for path in mine.keys() & theirs.keys() if _cannot_merge(mine[path], theirs[path])}
    return sorted(unseen | lost | made)


def _cannot_merge(mine: Row, theirs: Row) -> bool:
    """Whether one side has added or deleted the file, and the other has not done exactly the same."""
    return mine.letter + theirs.letter != "MM" and (mine.mode, mine.new) != (theirs.mode, theirs.new)


async def merge_tree(hub: Hub, ours: Commit, theirs: Commit) -> Answer:
    """Git's answer: the merged tree, then the files with conflicts. Work that builds on our side is the result.

    A branch that was rewritten from its first commit on has no common history with the work before. That is no error:
    files that differ then conflict.
    """
    if hub.builds_on(theirs, ours):
        return Answer(code=0, out=(await hub.tree_of(theirs)).encode() + b"\0")
    command = ("merge-tree", "--write-tree", "--allow-unrelated-histories", "-z", "--name-only", "--no-messages")
    return await hub.git.run(*command, ours, theirs, accept=(0, 1))


async def parted(hub: Hub, onto: Commit, tip: Commit, base: Commit) -> tuple[Commit, Commit]:
    """Substitute commits for the two sides, whose common ancestor is the base: a merge then starts from it."""
    root = await hub.commit(await hub.tree_of(base), (), "what the changes were made from")
    ours = await hub.commit(await hub.tree_of(onto), (root,), "where they are to land")
    theirs = await hub.commit(await hub.tree_of(tip), (root,), "the changes")
    return ours, theirs
