"""Which project a folder is: one id for one repository, whatever becomes of the folder."""

import shutil
import stat
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from shiftwork.config.project import registered
from shiftwork.config.site import STATE_HOME, Site, find_site, state_home
from shiftwork.errors import RepositoryError


def git(folder: Path, *words: str) -> None:
    named = ("-c", "user.name=Test", "-c", "user.email=test@localhost")
    subprocess.run(("git", *named, *words), cwd=folder, check=True, capture_output=True)


def site_of(folder: Path) -> Site:
    return find_site(folder, {STATE_HOME: str(folder.parent / "state")})


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "--quiet")
    return folder


def test_looking_makes_no_project(shop: Path) -> None:
    assert site_of(shop).known_project == ""
    assert not (shop / ".git/shiftwork").exists()
    assert not (shop.parent / "state").exists()


def test_the_id_lies_in_the_git_directory_and_is_registered_with_its_place(shop: Path) -> None:
    project = site_of(shop).project
    folder = shop / ".git/shiftwork"
    assert (folder / "project").read_text() == f"{project}\n"
    assert [one.name for one in folder.iterdir()] == ["project"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    place = (shop / ".git").stat()
    assert (shop.parent / "state" / "projects" / project).read_text() == (
        f"{place.st_dev} {place.st_ino} {(shop / '.git').resolve()}\n"
    )
    assert registered(shop.parent / "state") == {project: str(shop.resolve())}
    assert site_of(shop).project == project == site_of(shop).known_project


def test_a_folder_that_is_moved_stays_the_project(shop: Path) -> None:
    before = site_of(shop)
    project, cache = before.project, before.cache
    moved = shop.rename(shop.parent / "store")
    assert site_of(moved).known_project == project
    assert registered(shop.parent / "state") == {project: str(shop.resolve())}, "looking writes nothing"
    assert site_of(moved).project == project
    assert site_of(moved).cache == cache
    assert registered(shop.parent / "state") == {project: str(moved.resolve())}


def test_one_that_is_moved_to_another_disk_stays_the_project(shop: Path) -> None:
    project = site_of(shop).project
    there = shop.parent / "store"
    shutil.copytree(shop, there)
    shutil.rmtree(shop)
    assert site_of(there).known_project == project == site_of(there).project
    assert registered(shop.parent / "state") == {project: str(there.resolve())}


def test_a_copy_is_another_project_and_the_original_stays_what_it_is(shop: Path) -> None:
    project = site_of(shop).project
    copy = shop.parent / "copy"
    shutil.copytree(shop, copy)
    assert site_of(copy).known_project == "", "what the original has run is not the copy's"
    other = site_of(copy).project
    assert other != project
    assert site_of(shop).project == project
    assert site_of(copy).project == other == site_of(copy).known_project
    assert registered(shop.parent / "state") == {project: str(shop.resolve()), other: str(copy.resolve())}


def test_of_two_copies_that_nobody_has_registered_one_keeps_the_id(shop: Path) -> None:
    project = site_of(shop).project
    copy = shop.parent / "copy"
    shutil.copytree(shop, copy)
    shutil.rmtree(shop.parent / "state")
    assert site_of(copy).project == project
    assert site_of(shop).project != project


def test_a_clone_is_another_project(shop: Path) -> None:
    project = site_of(shop).project
    git(shop, "commit", "--quiet", "--allow-empty", "-m", "start")
    git(shop.parent, "clone", "--quiet", "shop", "clone")
    assert site_of(shop.parent / "clone").known_project == ""
    assert site_of(shop.parent / "clone").project != project


def test_a_repository_that_takes_the_place_of_another_is_another_project(shop: Path) -> None:
    project = site_of(shop).project
    (shop / ".git").rename(shop.parent / "old")
    git(shop, "init", "--quiet")
    assert site_of(shop).project != project


def test_linked_worktrees_share_the_project_and_its_state(shop: Path) -> None:
    git(shop, "commit", "--quiet", "--allow-empty", "-m", "start")
    git(shop, "worktree", "add", "--quiet", "../side")
    side = site_of(shop.parent / "side")
    assert side.project == site_of(shop).project
    assert (side.worktree, site_of(shop).worktree) == ("side", "")
    assert (side.state, side.cache) == (site_of(shop).state, site_of(shop).cache)


def test_one_folder_by_two_paths_is_one_project(shop: Path) -> None:
    project = site_of(shop).project
    (shop.parent / "link").symlink_to(shop)
    assert site_of(shop.parent / "link").project == project
    assert registered(shop.parent / "state") == {project: str(shop.resolve())}


@pytest.mark.parametrize("text", ["", "x" * 12, "0123456789abcdef"])
def test_what_is_no_id_is_replaced(shop: Path, text: str) -> None:
    (shop / ".git/shiftwork").mkdir()
    (shop / ".git/shiftwork" / "project").write_text(text)
    assert site_of(shop).known_project == ""
    project = site_of(shop).project
    assert len(project) == 12
    assert (shop / ".git/shiftwork" / "project").read_text() == f"{project}\n"


def test_a_registration_that_cannot_be_read_is_made_again(shop: Path) -> None:
    project = site_of(shop).project
    (shop.parent / "state" / "projects" / project).write_text("torn")
    assert registered(shop.parent / "state") == {}
    assert site_of(shop).project == project
    assert registered(shop.parent / "state") == {project: str(shop.resolve())}


def test_nothing_is_registered_where_nothing_was_ever_run(tmp_path: Path) -> None:
    assert registered(tmp_path) == {}


def test_a_project_that_cannot_be_recorded_is_an_error_with_a_way_out(shop: Path) -> None:
    (shop.parent / "state").write_text("a file is in the way")
    with pytest.raises(RepositoryError, match="cannot be recorded") as caught:
        _ = site_of(shop).project
    assert caught.value.hint.startswith("see who may write there: ls -ld ")


def used(folder: Path) -> str:
    return site_of(folder).project


def test_all_who_use_a_repository_for_the_first_time_at_once_are_given_one_id(shop: Path) -> None:
    with ProcessPoolExecutor(8) as many:
        assert len(set(many.map(used, [shop] * 32))) == 1


def test_folders_that_are_copied_and_used_at_once_are_as_many_projects(shop: Path) -> None:
    _ = site_of(shop).project
    copies = [shop.parent / f"copy-{number}" for number in range(6)]
    for copy in copies:
        shutil.copytree(shop, copy)
    shutil.rmtree(shop.parent / "state")
    with ProcessPoolExecutor(6) as many:
        assert len(set(many.map(used, copies))) == len(copies)


def test_the_state_folder_is_the_one_that_is_named_else_the_users_own() -> None:
    assert state_home({STATE_HOME: "/x", "HOME": "/h"}) == Path("/x")
    assert state_home({"HOME": "/h"}).is_relative_to("/h")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have folders of other names")
def test_it_lies_where_programs_keep_their_state() -> None:
    assert state_home({"HOME": "/h"}) == Path("/h/.local/state/shiftwork")
    assert state_home({"HOME": "/h", "XDG_STATE_HOME": "/s"}) == Path("/s/shiftwork")
    assert state_home({"HOME": "/h", "XDG_STATE_HOME": "relative"}) == Path("/h/.local/state/shiftwork")
