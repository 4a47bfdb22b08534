"""The user of the repository, who continues their own work while stories land."""

import itertools
import random
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.durability.rig import Bench

_PATIENCE_SECONDS = 120.0


@dataclass(kw_only=True)
class User:
    """Commits now and then, and leaves changes uncommitted; `edits` are those that must stand as they are.

    `complaints` are what they could not do although they have waited.
    """

    bench: Bench
    chance: random.Random
    edits: dict[str, str] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)
    commits: int = 0
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def act(self) -> None:
        if any(lock.exists() for lock in self._locks()):
            return  # a git is at work, or was killed: then git shows the user what to do, and resuming does it
        self.chance.choice((self._rest, self._rest, self._commit, self._scribble, self._be_in_the_way))()

    def put_away(self) -> None:
        """Revert the edit that is in the way of stories; the notes stay."""
        if self.edits.pop("shared.txt", None) is not None:
            self._patiently("checkout", "--quiet", "--", "shared.txt")

    def _rest(self) -> None:
        self.put_away()

    def _commit(self) -> None:
        name = f"user-{next(self._numbers)}.txt"
        (self.bench.repo / name).write_text("the user's own work\n")
        self._patiently("add", name)
        self._patiently("commit", "--quiet", "-m", f"user: {name}", "--", name)
        self.commits += 1

    def _scribble(self) -> None:
        self._edit("notes.txt")

    def _be_in_the_way(self) -> None:
        self._edit("shared.txt")

    def _edit(self, name: str) -> None:
        content = f"{(self.bench.repo / name).read_text()}uncommitted {next(self._numbers)}\n"
        (self.bench.repo / name).write_text(content)
        self.edits[name] = content

    def _locks(self) -> tuple[Path, ...]:
        folder = self.bench.repo / ".git"
        return (folder / "index.lock", folder / "HEAD.lock", folder / "refs" / "heads" / "main.lock")

    def _patiently(self, *args: str) -> None:
        """When git reports that another git is at work, the user waits a moment and runs the command again."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while (ran := self._typed(args)).returncode:
            if "lock" not in ran.stderr or time.monotonic() > deadline:
                self.complaints.append(f"the user cannot git {args[0]}: {ran.stderr}")
                return
            time.sleep(0.1)

    def _typed(self, args: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(("git", *args), cwd=self.bench.repo, check=False, capture_output=True, text=True)
