"""Checks what landed on a branch with the repository's own check, in a fresh clone with its own environment."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.ordinary.row import Row
from tests.ordinary.user import User


@dataclass(frozen=True, kw_only=True)
class Landed:
    """`broken` are commits on which the check is red, with what it printed; `missing` is right work that is not there.

    `unseen` names broken work that the check itself did not see: then the row shows nothing.
    """

    broken: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]
    unseen: tuple[str, ...]

    @property
    def right(self) -> bool:
        return not self.missing and not self.broken


def landed_on(branch: str, base: str, user: User, folder: Path) -> Landed:
    """Every commit since `base` is looked at."""
    fresh = User(root=folder / "clone", private=folder / "private", row=user.row)
    folder.mkdir()
    user.git("clone", "--quiet", "--branch", branch, str(user.root), str(fresh.root))
    if user.row.install:
        fresh.prepares(user.row.install)
    commits = fresh.git("rev-list", "--reverse", f"{base}..{branch}").split()
    return Landed(
        broken=tuple(_red(fresh, commits)),
        missing=tuple(_missing(fresh, branch)),
        unseen=tuple(_unseen(fresh, base)),
    )


def _red(fresh: User, commits: list[str]) -> Iterator[tuple[str, str]]:
    for commit in commits:
        fresh.git("checkout", "--quiet", "--force", commit)
        if fresh.row.check and (done := fresh.types(fresh.row.check)).returncode != 0:
            yield commit, done.stdout


def _missing(fresh: User, branch: str) -> Iterator[str]:
    expected = {path: text for story in fresh.row.stories for path, text in story.right.items()}
    fresh.git("checkout", "--quiet", "--force", branch)
    for path, text in expected.items():
        there = fresh.root / path
        if not there.is_file() or there.read_text(encoding="utf-8") != text:
            yield path


def _unseen(fresh: User, base: str) -> Iterator[str]:
    """A check that is green on broken work, or red on the base, would make every row look right."""
    fresh.git("checkout", "--quiet", "--force", base)
    if fresh.row.check and (done := fresh.types(fresh.row.check)).returncode != 0:
        yield f"the repository's own check is red before any work is done:\n{done.stdout}"
    for story in _broken(fresh.row):
        fresh.git("checkout", "--quiet", "--force", base)
        for path, text in story.items():
            (fresh.root / path).write_text(text, encoding="utf-8")
        if fresh.types(fresh.row.check).returncode == 0:
            yield f"the repository's own check is green with this broken: {', '.join(story)}"


def _broken(row: Row) -> Iterator[dict[str, str]]:
    for story in row.stories:
        if story.broken:
            yield dict(story.broken)
