"""What must hold at any moment, whichever process has just been killed, and what must hold when a run is over."""

import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.prey import family
from tests.chaos.project import NEEDS, PROJECT, Needs
from tests.chaos.user import User
from tests.durability.rig import Bench
from tests.repositories import git_locks, trees_of

_HOLDING = "shiftwork/landed/main"
_LEAVING_SECONDS = 20.0
"""For processes that were asked to end; a process that lingers by itself does so for a minute."""


@dataclass(kw_only=True)
class Inspector:
    """Looks with git and the installed command alone; what it has found good once it does not look at again."""

    bench: Bench
    user: User
    project: str = PROJECT
    needs: Needs = field(default_factory=lambda: NEEDS)
    _green: set[str] = field(default_factory=set)
    _forward: set[str] = field(default_factory=set)

    def at_any_time(self) -> list[str]:
        return [*self._red(), *self._twice(), *self._backward(), *self._lost_edits(), *self.user.complaints]

    def at_the_end(self) -> list[str]:
        found = [*self.at_any_time(), *self._unfinished(), *self._processes(), *self._left_behind(), *self._damage()]
        return [*found, *self._untidy_checkout()]

    def landed(self) -> Counter[str]:
        """How often each story is on the base. What is held back may build on commits that the user has rewritten
        since, and is merged with them: so each branch counts by itself, along its first parents.
        """
        most: Counter[str] = Counter()
        for tip in self._tips():
            named = "--format=%(trailers:key=Shiftwork-Run,valueonly,separator=)"
            commits = self.bench.git("log", "--first-parent", named, tip).splitlines()
            most |= Counter(line.partition("/")[2] for line in commits if line)
        return most

    def _tips(self) -> tuple[str, ...]:
        """Where work lands: the branch, and what is held back while the user is in the way.

        By commit: a branch that holds something back is gone as soon as the user is out of the way.
        """
        return tuple(self.bench.git("for-each-ref", "--format=%(objectname)", "refs/heads").split())

    def _red(self) -> Iterator[str]:
        for line in self.bench.git("log", "--format=%T %h %s", *self._tips()).splitlines():
            tree, commit = line.split(" ", 1)
            if tree not in self._green:
                if reason := self._gate(tree):
                    yield f"red commit on the base: {commit}: {reason}"
                self._green.add(tree)

    def _gate(self, tree: str) -> str:
        folder = self.bench.root / "alone" / tree
        folder.mkdir(parents=True)
        archive = subprocess.run(("git", "archive", tree), cwd=self.bench.repo, check=True, capture_output=True)
        subprocess.run(("tar", "x"), cwd=folder, input=archive.stdout, check=True)
        ran = subprocess.run(("sh", "gate.sh"), cwd=folder, check=False, capture_output=True, text=True)
        return f"{ran.stdout}{ran.stderr}".strip() or "no reason told" if ran.returncode else ""

    def _twice(self) -> Iterator[str]:
        for story, times in self.landed().items():
            if times > 1:
                yield f"{story} landed {times} times"

    def _backward(self) -> Iterator[str]:
        """The reflog records every move of the branch that is checked out; the user may move it anywhere."""
        for line in (self.bench.repo / ".git" / "logs" / "refs" / "heads" / "main").read_text().splitlines():
            moved, _, reason = line.partition("\t")
            old, new = moved.split(" ")[:2]
            if line in self._forward or not reason.startswith("shiftwork:"):
                continue
            if self._fails("merge-base", "--is-ancestor", old, new):
                yield f"the branch moved other than forward: {line}"
            self._forward.add(line)
        if self.bench.git("symbolic-ref", "HEAD") != "refs/heads/main":
            yield "another branch is checked out"

    def _lost_edits(self) -> Iterator[str]:
        for name, content in self.user.edits.items():
            if (self.bench.repo / name).read_text() != content:
                yield f"the user's edit of {name} is gone"

    def _unfinished(self) -> Iterator[str]:
        view = self._view()
        if (view["status"], view["worker"]) != ("completed", None):
            yield f"the run is {view['status']}, its worker {view['worker']}"
        landed = self.landed()
        for story in view["stories"]:
            name, status = story["story"], story["status"]
            if status != "completed" or landed[name] != 1:
                yield f"lost: {name} is {status}, on the base {landed[name]} times: {story['failure']}"
        if missing := self.needs.keys() - {story["story"] for story in view["stories"]}:
            yield f"lost: nothing is known of {', '.join(sorted(missing))}"
        stories = json.loads(self.bench.spec.read_text())["userStories"]
        if unmarked := [story["id"] for story in stories if not story["passes"]]:
            yield f"the spec does not say that {', '.join(unmarked)} landed"

    def _processes(self) -> Iterator[str]:
        deadline = time.monotonic() + _LEAVING_SECONDS
        while (left := list(family(self.bench))) and time.monotonic() < deadline:
            time.sleep(0.05)
        for process in left:
            yield f"leftover process: {process}"

    def _left_behind(self) -> Iterator[str]:
        run = self._view()["run"]
        for tree in trees_of(self.bench.repo).glob(f"{run}/*"):
            yield f"leftover workspace: {tree.name}"
        for lock in git_locks(self.bench.repo):
            yield f"leftover lock: {lock}"
        for half in self.bench.root.glob(".*.shiftwork"):
            yield f"half of the spec's file: {half}"

    def _damage(self) -> Iterator[str]:
        for folder in (".git", ".git/shiftwork/hub.git"):
            if problem := self._fails(f"--git-dir={folder}", "fsck", "--full", "--no-dangling"):
                yield f"{folder} is damaged: {problem}"

    def _untidy_checkout(self) -> Iterator[str]:
        changed = set(self.bench.git("diff", "--name-only").splitlines())
        staged = self.bench.git("diff", "--cached", "--name-only")
        untracked = self.bench.git("ls-files", "--others", "--exclude-standard")
        if changed != self.user.edits.keys() or staged or untracked:
            found = f"changed {sorted(changed)}, staged {staged.split()}, untracked {untracked.split()}"
            yield f"the checkout is not as the user left it ({sorted(self.user.edits)} changed): {found}"
        if self.bench.git("stash", "list") or len(self.bench.git("worktree", "list").splitlines()) > 1:
            yield "there is a stash or a working tree that the user has not made"

    def _view(self) -> dict[str, Any]:
        view: dict[str, Any] = json.loads(self.bench.shiftwork("status", self.run, "--json").stdout)
        return view

    @property
    def run(self) -> str:
        """The id of the project's run, empty where none is recorded yet; another project may share its database."""
        listed = json.loads(self.bench.shiftwork("status", "--all", "--json").stdout)["runs"]
        return next((run["run"] for run in listed if run["title"] == self.project), "")

    def _fails(self, *args: str) -> str:
        ran = subprocess.run(("git", *args), cwd=self.bench.repo, check=False, capture_output=True, text=True)
        return f"{ran.stdout}{ran.stderr}".strip() or f"exit {ran.returncode}" if ran.returncode else ""
