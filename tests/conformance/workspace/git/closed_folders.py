"""A test starts this program as an ordinary user: a workspace whose files and folders are closed to their owner."""

import asyncio
import json
import sys
from pathlib import Path

from shiftwork.adapters.workspace.git.git import Identity
from shiftwork.adapters.workspace.hub.hub_setup import open_hub
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import Shell
from shiftwork.adapters.workspace.tree.workspaces import GitWorkspaces
from shiftwork.domain.core.ids import Commit
from shiftwork.ports.workspace import Place

PLACE = Place(run="r1", story="closed", number=1)


def close(tree: Path) -> None:
    (tree / "deep" / "er").mkdir(parents=True)
    (tree / "deep" / "er" / "file").write_text("x")
    (tree / "src" / "a.txt").write_text("changed")
    (tree / "src" / "a.txt").chmod(0)
    for name in ("deep/er", "deep", ".git/objects", ".git"):
        (tree / name).chmod(0)
    for name in ("src", "."):
        (tree / name).chmod(0o500)
    try:
        (tree / "probe").write_text("")
    except PermissionError:
        return
    sys.exit("nothing is closed to this user")


async def main(root: Path, base: Commit, env: dict[str, str]) -> Commit:
    """Everything the harness does with a workspace, each time on a closed one; gives the commit of its content."""
    identity, cache = Identity(name="A", email="a@b"), root.parent / "cache"
    hub = await open_hub(root=root, state=root / ".git/shiftwork", cache=cache, identity=identity, env=env)
    workspaces = GitWorkspaces(hub=hub, setup=Setup(shell=Shell(env=env)))
    keep = hub.state / "keep.diff"
    tree = await workspaces.prepare(PLACE, base)
    close(tree)
    head = await workspaces.snapshot(PLACE, base, "step")
    await workspaces.renew(PLACE, head)
    assert await workspaces.restore(PLACE, base, keep)
    assert sorted(path.name for path in tree.iterdir()) == [".git", ".gitignore", "README.md", "src"]
    close(tree)
    await workspaces.restore(PLACE, base, keep)
    (tree / "src" / "new").write_text("open again")
    await workspaces.renew(PLACE, base)
    close(tree)
    await workspaces.prepare(PLACE, base)
    close(tree)
    await workspaces.discard(PLACE)
    assert not tree.exists()
    return head


if __name__ == "__main__":
    sys.stdout.write(asyncio.run(main(Path(sys.argv[1]), Commit(sys.argv[2]), json.loads(sys.argv[3]))))
