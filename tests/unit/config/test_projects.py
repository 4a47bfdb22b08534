"""Which project a folder is: one id for one repository, even if the folder moves."""

import os
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from shiftwork.bootstrap.state.adopt import Adopted, adopt
from shiftwork.config.project import Ownership, registered
from shiftwork.config.site import STATE_HOME, Site, find_site, state_home
from shiftwork.errors import RepositoryError, StateError, UnfitRepositoryError


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


def test_a_path_that_is_no_text_is_refused_in_one_sentence(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(bytes(tmp_path) + b"/caf\xe9"))
    folder.mkdir()
    git(folder, "init", "--quiet")
    with pytest.raises(UnfitRepositoryError, match="is not UTF-8") as refused:
        site_of(folder)
    assert "caf\N{REPLACEMENT CHARACTER}" in refused.value.message, "which can be printed"


def test_looking_makes_no_project(shop: Path) -> None:
    assert site_of(shop).known_project == ""
    assert not (shop / ".git/shiftwork").exists()
    assert not (shop.parent / "state").exists()


def test_the_id_lies_in_the_git_directory_and_is_registered_with_its_place(shop: Path) -> None:
    project = site_of(shop).project
    folder = shop / ".git/shiftwork"
    assert (folder / "project").read_text() == f"{project}\n"
    assert [path.name for path in folder.iterdir()] == ["project"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "project").stat().st_mode) == 0o600
    file = (folder / "project").stat()
    messages = (str(file.st_ino), str(file.st_ctime_ns), str((shop / ".git").resolve()), "..")
    assert (shop.parent / "state" / "projects" / project).read_text() == "\0".join(messages) + "\n"
    assert registered(shop.parent / "state") == {project: str(shop.resolve())}
    assert site_of(shop).project == project == site_of(shop).known_project
    assert site_of(shop).ownership is Ownership.OWN


def test_a_folder_that_is_moved_stays_the_project(shop: Path) -> None:
    before = site_of(shop)
    project, cache = before.project, before.cache
    moved = shop.rename(shop.parent / "store")
    assert site_of(moved).known_project == project
    assert registered(shop.parent / "state") == {project: str(shop.resolve())}, "looking writes nothing"
    assert site_of(moved).project == project
    assert site_of(moved).cache == cache
    assert registered(shop.parent / "state") == {project: str(moved.resolve())}


def is_unregistered(folder: Path) -> bool:
    """Nothing is read, and a command that would write says what to type."""
    site = site_of(folder)
    with pytest.raises(StateError, match="was not created here by you") as refused:
        _ = site.project
    assert refused.value.hint.startswith("shiftwork adopt ")
    return site.ownership is Ownership.UNREGISTERED and site.known_project == ""


def test_one_that_is_moved_to_another_disk_is_the_project_once_it_is_adopted(shop: Path) -> None:
    project = site_of(shop).project
    there = shop.parent / "store"
    shutil.copytree(shop, there)
    shutil.rmtree(shop)
    assert is_unregistered(there)
    assert adopt(site_of(there)) == Adopted(state=there / ".git/shiftwork", project=project, same=True)
    assert site_of(there).known_project == project == site_of(there).project
    assert registered(shop.parent / "state") == {project: str(there.resolve())}


def test_a_copy_is_another_project_once_it_is_adopted_and_the_original_stays_what_it_is(shop: Path) -> None:
    project = site_of(shop).project
    copy = shop.parent / "copy"
    shutil.copytree(shop, copy)
    assert is_unregistered(copy)
    adopted = adopt(site_of(copy))
    assert not adopted.same
    assert site_of(copy).project == adopted.project != project == site_of(shop).project
    assert registered(shop.parent / "state") == {project: str(shop.resolve()), adopted.project: str(copy.resolve())}


def test_of_two_copies_that_no_one_has_registered_the_first_that_is_adopted_keeps_the_id(shop: Path) -> None:
    project = site_of(shop).project
    copy = shop.parent / "copy"
    shutil.copytree(shop, copy)
    shutil.rmtree(shop.parent / "state")
    assert is_unregistered(shop)
    assert is_unregistered(copy)
    assert adopt(site_of(copy)).project == project
    assert adopt(site_of(shop)).project != project


def test_an_archive_that_is_unpacked_in_the_place_of_the_original_is_not_read(shop: Path) -> None:
    """Path and id are those of the original, and the inode may be: the time at which it was made is not."""
    _ = site_of(shop).project
    packed = shutil.make_archive(str(shop.parent / "shop"), "tar", shop)
    shutil.rmtree(shop)
    shutil.unpack_archive(packed, shop, filter="fully_trusted")
    assert is_unregistered(shop)


def test_a_hard_linked_copy_is_not_read(shop: Path) -> None:
    _ = site_of(shop).project
    shutil.copytree(shop, shop.parent / "copy", copy_function=os.link)
    assert is_unregistered(shop.parent / "copy")


def test_a_folder_that_points_to_the_git_directory_of_another_is_not_believed(shop: Path) -> None:
    _ = site_of(shop).project
    hostile = shop.parent / "hostile"
    hostile.mkdir()
    (hostile / ".git").write_text(f"gitdir: {shop}/.git\n")
    assert is_unregistered(hostile)


def test_a_repository_apart_from_its_checkout_is_known_by_both(shop: Path) -> None:
    folder = shop.parent / "apart"
    folder.mkdir()
    git(folder, "init", "--quiet", f"--separate-git-dir={shop.parent}/apart.git")
    project = site_of(folder).project
    assert site_of(folder).state == shop.parent / "apart.git/shiftwork"
    assert registered(shop.parent / "state")[project] == str(folder.resolve())
    assert site_of(folder).known_project == project


@pytest.mark.parametrize("pointer", ["../.git", "{shop}/../hostile/.git", "nowhere"])
def test_a_folder_that_calls_itself_a_worktree_of_another_is_refused(shop: Path, pointer: str) -> None:
    _ = site_of(shop).project
    hostile = shop.parent / "hostile"
    shutil.copytree(shop, hostile)
    (hostile / ".git/commondir").write_text(f"{shop}/.git\n")
    (hostile / ".git/gitdir").write_text(pointer.format(shop=shop))
    with pytest.raises(UnfitRepositoryError, match="says that it is a worktree of"):
        site_of(hostile)


def test_a_worktree_that_was_moved_by_hand_is_refused_until_git_knows_of_it(shop: Path) -> None:
    git(shop, "commit", "--quiet", "--allow-empty", "-m", "start")
    git(shop, "worktree", "add", "--quiet", "../side")
    moved = (shop.parent / "side").rename(shop.parent / "moved")
    with pytest.raises(UnfitRepositoryError, match="says that it is a worktree of") as refused:
        site_of(moved)
    assert refused.value.hint.startswith("git worktree repair")
    git(moved, "worktree", "repair")
    assert site_of(moved).state == site_of(shop).state
    (shop / ".git/worktrees/side/gitdir").unlink()
    with pytest.raises(UnfitRepositoryError, match="says that it is a worktree of"):
        site_of(moved)


def test_what_is_on_the_way_to_the_state_and_is_a_link_is_refused(shop: Path) -> None:
    (shop / ".git").rename(shop.parent / "elsewhere")
    (shop / ".git").symlink_to(shop.parent / "elsewhere")
    with pytest.raises(UnfitRepositoryError, match="is a link"):
        site_of(shop)
    (shop / ".git").unlink()
    (shop.parent / "elsewhere").rename(shop / ".git")
    (shop.parent / "outside").mkdir()
    (shop / ".git/shiftwork").symlink_to(shop.parent / "outside")
    with pytest.raises(StateError, match="is a link, which is not followed"):
        site_of(shop)
    (shop / ".git/shiftwork").unlink()
    (shop / ".git/shiftwork").write_text("")
    with pytest.raises(StateError, match="is not a folder"):
        site_of(shop)


def test_a_pipe_in_the_place_of_a_file_of_gits_is_refused_at_once(shop: Path) -> None:
    os.mkfifo(shop / ".git/commondir")
    with pytest.raises(UnfitRepositoryError, match="it is not a regular file"):
        site_of(shop)
    shutil.rmtree(shop / ".git")
    os.mkfifo(shop / ".git")
    with pytest.raises(UnfitRepositoryError, match="is neither a folder nor a file"):
        site_of(shop)


@pytest.mark.skipif(os.geteuid() != 0, reason="nobody else can give a folder away")
@pytest.mark.parametrize("place", [".git", ".git/shiftwork"])
def test_what_another_user_owns_is_refused(shop: Path, place: str) -> None:
    _ = site_of(shop).project
    os.chown(shop / place, 12345, 12345)
    with pytest.raises((UnfitRepositoryError, StateError), match=r"belongs to another user \(uid 12345\)"):
        site_of(shop)


def test_state_without_anything_in_it_is_none(shop: Path) -> None:
    (shop / ".git/shiftwork").mkdir()
    assert site_of(shop).ownership is Ownership.NONE
    assert site_of(shop).project == site_of(shop).known_project


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


def test_every_worktree_has_the_name_of_the_main_checkout_or_of_the_bare_repository(shop: Path) -> None:
    git(shop, "commit", "--quiet", "--allow-empty", "--message", "start")
    git(shop, "worktree", "add", "--quiet", "../side")
    git(shop, "clone", "--quiet", "--bare", ".", "../store.git")
    git(shop.parent / "store.git", "worktree", "add", "--quiet", "../other", "-b", "other")
    names = [site_of(shop.parent / folder).name for folder in (shop.name, "side", "other")]
    assert names == [shop.name, shop.name, "store"]


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
def test_state_without_an_id_is_not_read(shop: Path, text: str) -> None:
    (shop / ".git/shiftwork").mkdir()
    (shop / ".git/shiftwork/project").write_text(text)
    assert is_unregistered(shop)
    assert len(adopt(site_of(shop)).project) == 12


def test_a_registration_that_cannot_be_read_is_none(shop: Path) -> None:
    project = site_of(shop).project
    (shop.parent / "state" / "projects" / project).write_text("torn")
    assert registered(shop.parent / "state") == {}
    assert is_unregistered(shop)
    assert adopt(site_of(shop)).project == project
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


def taken(folder: Path) -> str:
    return adopt(site_of(folder)).project


def test_folders_that_are_copied_and_adopted_at_once_are_as_many_projects(shop: Path) -> None:
    _ = site_of(shop).project
    copies = [shop.parent / f"copy-{number}" for number in range(6)]
    for copy in copies:
        shutil.copytree(shop, copy)
    shutil.rmtree(shop.parent / "state")
    with ProcessPoolExecutor(6) as many:
        assert len(set(many.map(taken, copies))) == len(copies)


def test_the_state_folder_is_the_one_that_is_named_else_the_users_own() -> None:
    assert state_home({STATE_HOME: "/x", "HOME": "/h"}) == Path("/x")
    assert state_home({"HOME": "/h"}).is_relative_to("/h")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have folders of other names")
def test_it_lies_where_programs_keep_their_state() -> None:
    assert state_home({"HOME": "/h"}) == Path("/h/.local/state/shiftwork")
    assert state_home({"HOME": "/h", "XDG_STATE_HOME": "/s"}) == Path("/s/shiftwork")
    assert state_home({"HOME": "/h", "XDG_STATE_HOME": "relative"}) == Path("/h/.local/state/shiftwork")
