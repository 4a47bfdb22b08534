"""What a row of the table is: an ordinary repository, the work asked for in it, and how its own users test it."""

from collections.abc import Mapping
from dataclasses import dataclass

type Files = Mapping[str, str]
"""Contents by path."""


@dataclass(frozen=True, kw_only=True)
class Story:
    """One piece of work. The agent first writes `broken`, which the repository's own tests refuse, then `right`.

    Where nothing is `broken`, it does the right work at once.
    """

    title: str
    criterion: str
    broken: Files
    right: Files


@dataclass(frozen=True, kw_only=True)
class Row:
    """A repository as its users have it.

    `lock` makes the lock files, before the first commit. `install` prepares a fresh checkout, and `check` tests it;
    where it is empty, there is nothing to test with. All three are shell commands, and the last two are also used on
    what has landed. With `active`, `.venv` in the checkout is the user's active virtual environment. `programs` are
    those that the user has beside Python, Node and Make; those of `debian` come from its packages. With `database`, the
    tests use a Postgres server on this machine, which has to be written into the files: see `database_row`.
    """

    name: str
    files: Files
    stories: tuple[Story, ...]
    check: str
    lock: str = ""
    install: str = ""
    active: bool = False
    programs: tuple[str, ...] = ()
    debian: tuple[str, ...] = ()
    database: bool = False

    @property
    def in_ci(self) -> bool:
        """CI has no compilers: their rows are for the recipe, which installs them."""
        return not self.debian

    @property
    def gated(self) -> bool:
        return bool(self.check)
