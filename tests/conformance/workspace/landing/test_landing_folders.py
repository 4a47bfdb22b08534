"""A folder becomes a file, or a file a folder: the checkout goes along, unless files of the user are there."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.hub.user_trees import in_the_way
from shiftwork.domain.landing.obstacle import Obstacle
from shiftwork.ports.workspace import Moved
from tests.conformance.workspace.git.git_rig import HELD, GitRig, files_of

type Files = dict[str, str | None]

TO_FILE: Files = {"folder/a": None, "folder/b/c": None, "folder": "a file\n"}
TO_FOLDER: Files = {"file": None, "file/a": "in a folder\n", "file/b/c": "deeper\n"}


@pytest.fixture
def both(rig: GitRig) -> GitRig:
    """With a folder and a file."""
    for name in ("folder/a", "folder/b/c", "file"):
        rig.user.write(name, f"{name}\n")
    rig.user.git("add", "-A")
    rig.user.git("commit", "-q", "-m", "a folder and a file")
    return rig


def obstacle(rig: GitRig) -> Obstacle:
    return asyncio.run(in_the_way(rig.hub.user, rig.hub.common, "main", HELD))


def assert_held(rig: GitRig, story: Files) -> None:
    before = rig.user.at("main"), files_of(rig.user.root), rig.user.status()
    assert rig.land(story) == Moved(ref=HELD)
    assert (rig.user.at("main"), files_of(rig.user.root), rig.user.status()) == before


@pytest.mark.parametrize("story", [TO_FILE, TO_FOLDER], ids=["to file", "to folder"])
def test_the_checkout_goes_along(both: GitRig, story: Files) -> None:
    assert both.land(story) == Moved(ref="main")
    assert both.user.status() == ""
    assert {name: text for name, text in files_of(both.user.root).items() if name in story} == {
        name: text for name, text in story.items() if text is not None
    }


def test_a_folder_with_an_untracked_file_stays(both: GitRig) -> None:
    both.user.write("folder/mine.txt", "precious\n")
    assert_held(both, TO_FILE)
    assert obstacle(both).files == ("folder/mine.txt",)


def test_a_folder_with_an_ignored_file_stays(both: GitRig) -> None:
    both.user.write("folder/b/ignored.log", "precious\n")
    assert_held(both, TO_FILE)
    assert obstacle(both).why == f"{both.user.root / 'folder/b/ignored.log'} exists, and git ignores it"


def test_an_edited_file_stays(both: GitRig) -> None:
    both.user.write("file", "my edit\n")
    assert_held(both, TO_FOLDER)
    assert obstacle(both).files == ("file",)


@pytest.mark.parametrize("story", [{"new/inner.txt": "n\n"}, {"new": "n\n"}], ids=["below", "in its place"])
def test_a_link_of_the_user_stays_and_nothing_is_written_where_it_leads(
    both: GitRig, story: Files, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (both.user.root / "new").symlink_to(tmp_path / "outside")
    before = both.user.status()
    assert both.land(story) == Moved(ref=HELD)
    assert both.user.status() == before
    assert not list((tmp_path / "outside").iterdir())
    assert obstacle(both).files == ("new",)
