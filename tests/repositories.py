"""What every project of the tests begins as."""

from collections.abc import Callable


def first_commit(git: Callable[..., str]) -> None:
    """Make a repository of what lies where `git` works."""
    git("init", "--quiet", "--initial-branch=main")
    git("config", "user.name", "Test")
    git("config", "user.email", "test@localhost")
    git("add", "-A")
    git("commit", "--quiet", "-m", "start")
