"""What is read from git's index and written without git, compared with what git itself answers."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.adapters.workspace.git.index_file import Index, read_index, statuses
from shiftwork.adapters.workspace.hub.tree_contents import TreeContents
from shiftwork.adapters.workspace.hub.tree_object import write_tree
from shiftwork.errors import RepositoryError
from shiftwork.testing.git_user import GitUser, new_user

FILES = {
    "a.b": "file beside a folder whose name it begins with\n",
    "a/x": "1\n",
    "a/deep/er/y": "2\n",
    "a-b/z": "3\n",
    "empty": "",
    "sp ace/\u00e9\u2028.txt": "4\n",
}


@pytest.fixture
def user(tmp_path: Path) -> GitUser:
    user = new_user(tmp_path)
    for name, content in FILES.items():
        user.write(name, content)
    (user.root / "program").write_text("#!/bin/sh\n")
    (user.root / "program").chmod(0o755)
    (user.root / "link").symlink_to("a/x")
    for path in user.root.rglob("*"):  # git trusts nothing about files that are as new as its index
        if ".git" not in path.parts:
            os.utime(path, (1_700_000_000, 1_700_000_000), follow_symlinks=False)
    user.git("add", "-A")
    return user


def index_of(user: GitUser) -> Index:
    index = read_index(user.root / ".git" / "index", "sha1")
    assert index is not None
    return index


def written(user: GitUser) -> str | None:
    return write_tree(index_of(user), user.root / ".git" / "objects")


def test_it_lists_the_files_of_the_index(user: GitUser) -> None:
    assert index_of(user).files == frozenset(user.git("ls-files", "-z").rstrip("\0").split("\0"))


def test_a_tree_is_the_one_that_git_writes(user: GitUser) -> None:
    tree = written(user)
    assert tree == user.git("write-tree")
    user.git("fsck", "--strict")


def test_trees_that_git_has_written_are_used_and_the_others_are_new(user: GitUser) -> None:
    user.git("commit", "-q", "-m", "all")
    assert {b"", b"a/", b"a/deep/", b"a/deep/er/"} <= index_of(user).trees.keys()
    user.write("a/deep/new", "5\n")
    (user.root / "a-b" / "z").unlink()
    user.git("add", "-A")
    assert b"a/deep/er/" in index_of(user).trees
    assert b"a/deep/" not in index_of(user).trees
    assert written(user) == user.git("write-tree")


def test_an_empty_index_has_the_empty_tree(user: GitUser) -> None:
    user.git("rm", "-r", "-q", "--cached", ".")
    assert written(user) == user.git("write-tree")


def test_folders_that_are_too_deep_are_left_to_git(user: GitUser) -> None:
    user.write("/".join(["d"] * 250), "deep\n")
    user.git("add", "-A")
    assert written(user) is None


@pytest.mark.parametrize("option", ["--assume-unchanged", "--skip-worktree"])
def test_an_index_with_special_entries_is_left_to_git(user: GitUser, option: str) -> None:
    user.git("update-index", option, "empty")
    assert read_index(user.root / ".git" / "index", "sha1") is None


@pytest.mark.parametrize("content", [b"", b"DIRC", b"DIRC\0\0\0\2\0\0\0\1", b"x" * 300_000])
def test_anything_else_is_left_to_git(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "index").write_bytes(content)
    assert read_index(tmp_path / "index", "sha1") is None
    assert read_index(tmp_path / "none", "sha1") is None


def altered(index: Index, user: GitUser) -> list[str]:
    return index.altered(str(user.root), statuses(str(user.root), index.files))


class TestAltered:
    def altered(self, user: GitUser) -> list[str]:
        return altered(index_of(user), user)

    def test_nothing_was(self, user: GitUser) -> None:
        assert self.altered(user) == []

    def test_a_file_that_is_as_new_as_the_index_is_read(self, user: GitUser) -> None:
        found = index_of(user)
        path = user.root / "a" / "x"
        path.write_text("9\n")
        status = path.lstat()
        entry = found.entries[b"a/x"]._replace(changed=status.st_ctime_ns, inode=status.st_ino, size=status.st_size)
        index = replace(found, entries={b"a/x": entry}, written=status.st_ctime_ns)
        assert altered(index, user) == ["a/x"]
        path.write_text("1\n")
        now = entry._replace(changed=path.lstat().st_ctime_ns)
        assert altered(replace(index, entries={b"a/x": now}), user) == []

    def test_an_old_file_of_the_same_size_and_time(self, user: GitUser) -> None:
        assert self.altered(user) == []
        path = user.root / "a" / "x"
        before = path.stat()
        path.write_text("9\n")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert self.altered(user) == ["a/x"]

    def test_a_file_that_is_gone_or_something_else(self, user: GitUser) -> None:
        (user.root / "empty").unlink()
        (user.root / "program").chmod(0o644)
        (user.root / "link").unlink()
        (user.root / "link").symlink_to("a/y")
        (user.root / "a.b").unlink()
        (user.root / "a.b").symlink_to("empty")
        assert self.altered(user) == ["a.b", "empty", "link", "program"]


class TestTreeContents:
    """Differences and listings from memory are those that git gives: `absent` is a git that cannot be started."""

    @pytest.fixture
    def git(self, user: GitUser) -> Git:
        return Git(env=user.env, cwd=user.root)

    @pytest.fixture
    def absent(self, git: Git) -> Git:
        return replace(git, program="no-such-git")

    @pytest.fixture
    def trees(self, user: GitUser) -> tuple[str, str]:
        first = user.git("write-tree")
        user.write("b/new", "6\n")
        user.write("a/x", "7\n")
        (user.root / "empty").unlink()
        (user.root / "link").unlink()
        user.write("link", "a file now\n")
        user.git("add", "-A")
        return first, user.git("write-tree")

    def test_the_difference_in_the_other_direction(self, git: Git, absent: Git, trees: tuple[str, str]) -> None:
        first, last = trees
        known = TreeContents()
        there = asyncio.run(known.differing(git, first, last))
        assert {row.letter for row in there} == {"A", "D", "M", "T"}
        assert asyncio.run(known.differing(absent, first, last)) == there
        back = asyncio.run(known.differing(absent, last, first))
        assert back == asyncio.run(TreeContents().differing(git, last, first))

    def test_a_listing_follows_from_an_earlier_one(self, git: Git, absent: Git, trees: tuple[str, str]) -> None:
        first, last = trees
        known = TreeContents()
        asyncio.run(known.listed(git, first))
        asyncio.run(known.differing(git, first, last))
        derived = asyncio.run(known.listed(absent, last))
        assert list(derived.items()) == list(asyncio.run(TreeContents().listed(git, last)).items())

    def test_what_does_not_follow_is_asked_for(self, git: Git, absent: Git, trees: tuple[str, str]) -> None:
        known = TreeContents()
        asyncio.run(known.differing(git, *trees))
        with pytest.raises(RepositoryError):
            asyncio.run(known.listed(absent, trees[1]))
