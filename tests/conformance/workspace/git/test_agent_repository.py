"""The agent's own repository between two attempts: kept if nobody added anything to it, else made from scratch."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.workspace.git.git_rig import PLACE, Scene


def renew(scene: Scene) -> None:
    asyncio.run(scene.workspaces.renew(PLACE, scene.base, {"main": scene.base}))


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_repository_without_additions_is_kept_and_brought_up_to_date(scene: Scene) -> None:
    renew(scene)
    folder = scene.tree / ".git"
    expected, times, inode = content(folder), (folder / "index").stat().st_mtime_ns, folder.stat().st_ino
    for name in ("HEAD", "packed-refs", "config", "index", "objects/info/alternates"):
        (folder / name).write_text("[core]\n\tfsmonitor = touch /tmp/never\n")
    renew(scene)
    assert content(folder) == expected
    assert (folder / "index").stat().st_mtime_ns == times
    assert folder.stat().st_ino == inode


def linked(folder: Path, outside: Path) -> None:
    (folder / "config").unlink()
    (folder / "config").symlink_to(outside)


def hard_linked(folder: Path, outside: Path) -> None:
    (folder / "config").unlink()
    os.link(outside, folder / "config")


def a_pipe(folder: Path, outside: Path) -> None:
    del outside
    (folder / "HEAD").unlink()
    os.mkfifo(folder / "HEAD")


def a_linked_folder(folder: Path, outside: Path) -> None:
    (folder / "objects").rename(outside.with_name("objects"))
    (folder / "objects").symlink_to(outside.with_name("objects"))


def a_hook(folder: Path, outside: Path) -> None:
    (folder / "hooks").mkdir()
    os.link(outside, folder / "hooks" / "post-checkout")


def a_ref(folder: Path, outside: Path) -> None:
    del outside
    (folder / "refs" / "replace").mkdir()


def a_closed_file(folder: Path, outside: Path) -> None:
    del outside
    (folder / "config").chmod(0)


def no_head(folder: Path, outside: Path) -> None:
    del outside
    (folder / "HEAD").unlink()


@pytest.mark.parametrize(
    "change", [linked, hard_linked, a_pipe, a_linked_folder, a_hook, a_ref, a_closed_file, no_head]
)
def test_anything_unusual_is_replaced_and_nothing_outside_is_written(
    scene: Scene, change: Callable[[Path, Path], None]
) -> None:
    renew(scene)
    folder, outside = scene.tree / ".git", scene.outside / "a.txt"
    expected, names = content(folder), {str(path.relative_to(folder)) for path in folder.rglob("*")}
    change(folder, outside)
    renew(scene)
    assert content(folder) == expected
    assert {str(path.relative_to(folder)) for path in folder.rglob("*")} == names
    assert not any(path.is_symlink() for path in (folder, *folder.rglob("*")))
    assert (folder / "config").stat().st_nlink == 1
    assert outside.read_text() == "precious\n"
