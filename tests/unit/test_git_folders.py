"""The commit of a branch, read without git: exactly what git says."""

from pathlib import Path

import pytest

from shiftwork.git_folders import branch_commit
from shiftwork.testing.git_user import GitUser, new_user


@pytest.fixture
def user(tmp_path: Path) -> GitUser:
    user = new_user(tmp_path)
    for branch in ("feature/mine", "main-2"):
        user.git("branch", branch)
        user.commit(branch, {branch.replace("/", "-"): "x\n"})
    return user


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("branch", ["main", "feature/mine", "main-2"])
def test_a_branch_is_read_loose_and_packed(user: GitUser, branch: str, *, packed: bool) -> None:
    if packed:
        user.git("pack-refs", "--all")
    assert branch_commit(user.root / ".git", branch) == user.git("rev-parse", branch)


def test_a_loose_branch_is_newer_than_a_packed_one(user: GitUser) -> None:
    user.git("pack-refs", "--all")
    user.commit("later", {"later": "x\n"})
    assert branch_commit(user.root / ".git", "main") == user.git("rev-parse", "main")


def test_there_is_no_commit_where_there_is_no_branch_or_only_git_can_tell(user: GitUser) -> None:
    user.git("symbolic-ref", "refs/heads/linked", "refs/heads/main")
    for branch in ("mine", "feature", "linked", "none"):
        assert branch_commit(user.root / ".git", branch) == ""
    user.git("pack-refs", "--all")
    assert branch_commit(user.root / ".git", "mine") == ""
