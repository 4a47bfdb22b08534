"""Attacks by unlimited depth: folders deeper than the longest path, files nested without end, open tags."""

import asyncio
import os
from pathlib import Path

import pytest

from shiftwork.adapters.attempt_folders import LocalAttemptFolders
from shiftwork.adapters.workspace.hub.leftovers import _sizes
from shiftwork.domain.canary.insertion_point import top
from shiftwork.domain.canary.mutation import mark, marks_in
from shiftwork.domain.tampering.started_scripts import mentions
from shiftwork.errors import RepositoryError
from shiftwork.ports.attempt_folder import AttemptName
from tests.attacks.state_rig import settled
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.conformance.workspace.git.git_rig import PLACE, GitRig
from tests.patience import Stopwatch

pytestmark = pytest.mark.timeout(90)

DEPTH = 3000
SOON = 10.0
PATIENCE = 60.0


def row(name: str) -> Attack:
    return Attack(name=name, layer="files", severity=Severity.MEDIUM, harm=Harm.DENIAL)


def dig(folder: Path, depth: int = DEPTH) -> None:
    """Folders within folders, and a file at the bottom: each is made in the one above, by no path."""
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY | os.O_DIRECTORY, dir_fd=at)
        os.close(at)
        at = below
    os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=at))
    os.close(at)


@attack(row("a session that fails leaves folders in its workspace that no path can name, so that no run goes on"))
def test_workspace(tmp_path: Path) -> Outcome:
    """Such a workspace is given up, which the story survives: any other error would end the run, and each resume."""
    rig = GitRig(tmp_path)
    base = rig.tip()
    tree = asyncio.run(rig.workspaces.prepare(PLACE, base))
    dig(tree)
    with pytest.raises(RepositoryError):
        asyncio.run(rig.workspaces.restore(PLACE, base, tmp_path / "kept.diff"))
    asyncio.run(rig.workspaces.discard(PLACE))
    return settled(not tree.exists())


@attack(row("a pipe has the name of a file with git's rules, and the harness waits for it after every session"))
def test_pipes(tmp_path: Path) -> Outcome:
    """It waited four minutes, and the work of the session was lost."""
    rig = GitRig(tmp_path)
    base = rig.tip()
    tree = asyncio.run(rig.workspaces.prepare(PLACE, base))
    watch = Stopwatch()
    for folder, name in (("one", ".gitignore"), ("two", ".gitattributes")):
        (tree / folder).mkdir()
        (tree / folder / "more.txt").write_text("more\n")
        os.mkfifo(tree / folder / name)
    (tree / "work.txt").write_text("work\n")
    commit = asyncio.run(rig.workspaces.snapshot(PLACE, base, "work"))
    listed = asyncio.run(rig.hub.git.run("ls-tree", "-r", "--name-only", commit)).text.splitlines()
    return settled("work.txt" in listed, watch.within(PATIENCE))


@attack(row("a session leaves folders without end among its temporary files, so that the run ends with it"))
def test_temporary_files(tmp_path: Path) -> Outcome:
    attempt_folders = LocalAttemptFolders(tmp_path)
    attempt_folder = asyncio.run(attempt_folders.lay(AttemptName(run="1", story="US-001", step="step-001", attempt=1)))
    dig(attempt_folder.home)
    asyncio.run(attempt_folders.clear(attempt_folder.home))
    return settled(not attempt_folder.home.exists())


@attack(row("a package.json that is nested without end lands, so that no later run begins"))
def test_scripts() -> Outcome:
    nested = '{"scripts": {"test": ' + "[" * 100_000 + "]" * 100_000 + "}}"
    return settled(mentions({"package.json": nested}) == "")


@attack(row("a component with script tags that never end lands, so that later runs search it without end"))
def test_script_tags() -> Outcome:
    """The canary looks for the place where a component's script begins. Half of this took a minute."""
    watch = Stopwatch()
    for text in ("<script " * 8000, '<script "' * 8000, "<script a='" * 8000):
        top("App.vue", text)
    return settled(watch.within(SOON))


@attack(row("a gate prints one word without end, and the canary looks for a mark in it"))
def test_printed_word() -> Outcome:
    """When the canary looked for paths, a hundredth of this took minutes."""
    watch = Stopwatch()
    for printed in ("." * 1_000_000, "-." * 500_000, "a/" * 500_000, "".join(f"{n}.a " for n in range(100_000))):
        assert marks_in("abc", f"{printed}\n{mark('abc', 1)}") == {1}
    return settled(watch.within(SOON))


def test_cleaning_up_passes_over_a_file_whose_path_is_too_long(tmp_path: Path) -> None:
    assert list(_sizes(str(tmp_path), ["n" * 300])) == []


def test_conflicts_in_more_files_than_a_program_can_be_given(tmp_path: Path) -> None:
    rig = GitRig(tmp_path)
    names = [f"{'n' * 240}-{number}" for number in range(12_000)]
    commit = rig.story({"open.txt": "<<<<<<< ours\n>>>>>>> theirs\n"}, rig.tip())
    assert list(asyncio.run(rig.repository.unresolved(commit, [*names, "open.txt"]))) == ["open.txt"]
    assert list(asyncio.run(rig.repository.unresolved(commit, []))) == []
