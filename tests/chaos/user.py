"""The user of the repository, who continues their own work, and rewrites it, while stories land."""

import itertools
import random
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.durability.rig import Bench

_PATIENCE_SECONDS = 120.0
_OWN = "user:"


@dataclass(kw_only=True)
class User:
    """Commits now and then, leaves changes uncommitted, and amends, removes and rebases own commits; `edits` are those
    that must stand as they are.

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
        working = (self._rest, self._rest, self._commit, self._commit, self._scribble, self._be_in_the_way)
        rewriting = (self._amend, self._reset, self._rebase, self._collect_garbage)
        self.chance.choice((*working, *rewriting))()

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
        self._patiently("commit", "--quiet", "-m", f"{_OWN} {name}", "--", name)
        self.commits += 1

    def _amend(self) -> None:
        """The last commit, whoever made it: its message stays."""
        self._typed(("commit", "--quiet", "--amend", "--no-edit", "--reset-author"))

    def _reset(self) -> None:
        """Take back one's own last commit, unless something has landed on it at this moment."""
        last, subject = self._last_commit()
        if subject.startswith(_OWN):
            move = ("-m", "reset: moving to HEAD~1", "refs/heads/main", f"{last}~1", last)
            if not self._typed(("update-ref", *move)).returncode:
                self._patiently("read-tree", "-m", "-u", last, "HEAD")

    def _rebase(self) -> None:
        """Leave out one's own commit below what has landed since."""
        listed = self.bench.git("log", "--first-parent", "--format=%H %s", "-8", "main").splitlines()
        own = next((line.split(" ")[0] for line in listed if line.partition(" ")[2].startswith(_OWN)), "")
        if own and self._typed(("rebase", "--quiet", "--onto", f"{own}~1", own)).returncode:
            self._typed(("rebase", "--abort"))

    def _collect_garbage(self) -> None:
        self._typed(("gc", "--quiet", "--prune=now"))

    def _last_commit(self) -> tuple[str, str]:
        commit, _, subject = self.bench.git("log", "-1", "--format=%H %s", "main").partition(" ")
        return commit, subject

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
