"""The repository that every project of the tests starts from."""

import os
from collections.abc import Callable
from pathlib import Path

from shiftwork.config.site import find_site


def trees_of(root: Path) -> Path:
    """Where the command keeps the working trees of a repository, in the environment of the tests."""
    return find_site(root, os.environ).cache / "workspaces"  # noqa: TID251 - the tests' own surroundings


def first_commit(git: Callable[..., str]) -> None:
    """Make a repository of the files in the folder where `git` works."""
    git("init", "--quiet", "--initial-branch=main")
    git("config", "user.name", "Test")
    git("config", "user.email", "test@localhost")
    git("add", "-A")
    git("commit", "--quiet", "-m", "start")


def git_locks(repository: Path) -> list[Path]:
    """Locks that git has left in a repository; the harness keeps its own in another folder."""
    folder = repository / ".git"
    found = (path.relative_to(folder) for path in folder.rglob("*.lock"))
    return [path for path in found if path.parts[0] != "shiftwork"]
