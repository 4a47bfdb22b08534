"""The paths that a change may affect: those in which two commits differ, and the links that lead to them."""

from collections.abc import Mapping, Sequence
from typing import Final

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.needed_gates import with_links

LINK: Final = "120000"
_FILES: Final = frozenset({"000000", "100644", "100755"})


async def affected(hub: Hub, base: Commit, commit: Commit) -> Sequence[str]:
    """A path that is or was anything but a file stands for everything below it."""
    rows = await hub.differing(base, commit)
    changed = [row.path if {row.was, row.mode} <= _FILES else f"{row.path}/" for row in rows]
    links = [link for side in (base, commit) for link in await _links(hub, side)]
    targets = await link_targets(hub.git, sorted({name for _, name in links}))
    return with_links(changed, [(path, targets[name]) for path, name in links])


async def _links(hub: Hub, commit: Commit) -> Sequence[tuple[str, str]]:
    """The links of a commit, each with the name of its content."""
    return [(path, found.name) for path, found in (await hub.listed(commit)).items() if found.mode == LINK]


async def link_targets(git: Git, names: Sequence[str]) -> Mapping[str, str]:
    """The targets of links. Git prints each after a line that ends with its size."""
    printed = (await git.run("cat-file", "--batch", stdin="\n".join(names).encode())).out if names else b""
    found, at = {}, 0
    for name in names:
        end = printed.index(b"\n", at)
        size = int(printed[at:end].rpartition(b" ")[2])
        found[name] = printed[end + 1 : end + 1 + size].decode(errors="replace")
        at = end + size + 2
    return found
