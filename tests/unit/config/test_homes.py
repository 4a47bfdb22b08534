"""Consents, state and caches are kept in folders that no other user can write to."""

import os
from pathlib import Path

import pytest

from shiftwork.config.site import CACHE_HOME, STATE_HOME, cache_home, state_home
from shiftwork.config.user import own_folder, user_folder
from shiftwork.errors import StateError

ANOTHER = 12345


def test_one_that_is_not_there_yet_will_be_the_users(tmp_path: Path) -> None:
    assert own_folder(tmp_path / "new/shiftwork", "X") == tmp_path / "new/shiftwork"


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o775])
def test_the_users_own_is_taken_also_where_their_own_group_can_write(tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)
    os.chown(tmp_path, -1, os.getegid())
    assert own_folder(tmp_path, "X") == tmp_path


@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_one_that_all_can_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)
    with pytest.raises(StateError, match="other users can write") as refused:
        own_folder(tmp_path, "X")
    assert refused.value.hint == f"chmod go-w {tmp_path}; or set X to a folder of yours"


def test_one_of_another_group_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o770)
    monkeypatch.setattr(os, "getegid", lambda: tmp_path.stat().st_gid + 1)
    with pytest.raises(StateError, match="other users can write"):
        own_folder(tmp_path, "X")


def test_one_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(folder, ANOTHER, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: ANOTHER)
    with pytest.raises(StateError, match=r"belongs to another user \(uid \d+\)"):
        own_folder(folder, "X")


def test_a_link_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    assert own_folder(link, "X") == link
    if os.geteuid() == 0:
        os.chown(link, ANOTHER, -1, follow_symlinks=False)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: ANOTHER)
    with pytest.raises(StateError, match="belongs to another user"):
        own_folder(link, "X")


def test_caches_may_lie_where_each_can_remove_only_their_own(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    assert cache_home({CACHE_HOME: str(tmp_path)}) == tmp_path
    with pytest.raises(StateError, match="other users can write"):
        state_home({STATE_HOME: str(tmp_path)})
    tmp_path.chmod(0o777)
    with pytest.raises(StateError, match="other users can write"):
        cache_home({CACHE_HOME: str(tmp_path)})


def test_none_is_a_folder_of_the_repository_that_a_command_is_typed_in() -> None:
    for home, variable in ((state_home, STATE_HOME), (cache_home, CACHE_HOME), (user_folder, "SHIFTWORK_CONFIG_HOME")):
        with pytest.raises(StateError, match="is not an absolute path"):
            home({variable: "here", "HOME": "/h"})
        with pytest.raises(StateError, match="is not an absolute path"):
            home({"HOME": "."})
    assert user_folder({"HOME": "/h", "XDG_CONFIG_HOME": "here"}) == Path("/h/.config/shiftwork")
