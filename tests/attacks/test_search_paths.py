"""Attacks through the search paths in the user's environment: the harness finds its own tools once, outside of every
folder that an agent can write to, and no element means the working directory.
"""

import asyncio
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from shiftwork.entrypoints.cli.render.phrases import look_at
from shiftwork.ports.workspace import Moved, Place
from shiftwork.testing.git_user import GitUser, new_user
from tests.attacks.state_rig import settled, typed
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.conformance.workspace.git.git_rig import RUN, GitRig
from tests.e2e.cli_rig import WORKING, git, new_project

GIT = shutil.which("git") or "/usr/bin/git"


def row(name: str, severity: Severity, harm: Harm, seen: int | None = None) -> Attack:
    return Attack(name=name, layer="git", severity=severity, harm=harm, seen=seen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Careless(GitUser):
    """One whose environment has more in it, which the harness is given."""

    more: tuple[tuple[str, str], ...] = ()

    @property
    def env(self) -> dict[str, str]:
        theirs = super(Careless, self).env
        return {**theirs, **{name: value.format(path=theirs["PATH"]) for name, value in self.more}}

    def try_git(self, *args: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return GitUser(root=self.root).try_git(*args, cwd=cwd)


def with_variables(folder: Path, **more: str) -> GitRig:
    """`{path}` stands for the usual PATH."""
    return GitRig(folder, Careless(root=new_user(folder).root, more=tuple(more.items())))


def trap(path: Path, canary: Path) -> None:
    """A git that works, and says that it has run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\ntouch "{canary}"\nexec {GIT} "$@"\n')
    path.chmod(0o755)


def landed(rig: GitRig, story: Place, tree: Path) -> bool:
    """Whether a story lands whose tree is as it stands."""
    base = rig.tip()
    (tree / f"{story.story}.txt").write_text("work\n")
    tip = asyncio.run(rig.workspaces.snapshot(story, base, "step"))
    return rig.move(rig.candidate(tip)) == Moved(ref="main")


def two_stories_landed(rig: GitRig, canary: Path, name: str = "bin/git") -> Outcome:
    """An agent leaves a git in its tree, and its story lands; then another one does."""
    for number in (1, 2):
        story = Place(run=RUN, story=f"US-{number}", number=1)
        tree = asyncio.run(rig.workspaces.prepare(story, rig.tip()))
        trap(tree / name, canary)
        if not landed(rig, story, tree):
            return Outcome.SUCCEEDED
        asyncio.run(rig.workspaces.discard(story))
    return settled(not canary.exists(), rig.user.show("main", name) != "")


@attack(row("a relative element of PATH leads to a git in an agent's tree", Severity.CRITICAL, Harm.EXECUTION, seen=6))
def test_relative_path(tmp_path: Path) -> Outcome:
    return two_stories_landed(with_variables(tmp_path, PATH="./bin:bin::{path}"), tmp_path / "canary")


@attack(row("an element of PATH leads to the working directory through /proc", Severity.CRITICAL, Harm.EXECUTION))
def test_path_through_proc(tmp_path: Path) -> Outcome:
    rig = with_variables(tmp_path, PATH="/proc/self/cwd/bin:/usr/../proc/self/cwd/bin:{path}")
    return two_stories_landed(rig, tmp_path / "canary")


@attack(row("a story lands a git in a folder of the repository that is on PATH", Severity.CRITICAL, Harm.EXECUTION))
def test_path_into_the_repository(tmp_path: Path) -> Outcome:
    root = new_user(tmp_path).root
    (tmp_path / "linked").symlink_to(root / "tools")
    rig = GitRig(tmp_path, Careless(root=root, more=(("PATH", f"{root}/tools:{tmp_path}/linked:{{path}}"),)))
    return two_stories_landed(rig, tmp_path / "canary", "tools/git")


@attack(row("another user puts a git into a folder of PATH that everybody can write to", Severity.HIGH, Harm.EXECUTION))
def test_open_folder(tmp_path: Path) -> Outcome:
    everybodys, canary = tmp_path / "shared", tmp_path / "canary"
    trap(everybodys / "git", canary)
    everybodys.chmod(0o1777)
    rig = with_variables(tmp_path, PATH=f"{everybodys}:{{path}}")
    return settled(rig.land({"work.txt": "work\n"}) == Moved(ref="main"), not canary.exists())


@attack(row("an empty element of LD_LIBRARY_PATH loads a library of an agent's", Severity.CRITICAL, Harm.EXECUTION, 7))
def test_library_path(tmp_path: Path) -> Outcome:
    """The library is none, so that a git that loads it fails: that shows what the loader has found."""
    loaded = subprocess.run(["ldd", GIT], capture_output=True, text=True, check=True)
    names = [line.split()[0] for line in loaded.stdout.splitlines() if "=>" in line and "libc." not in line]
    rig = with_variables(tmp_path, LD_LIBRARY_PATH="/nowhere/lib64:")
    story = Place(run=RUN, story="US-1", number=1)
    tree = asyncio.run(rig.workspaces.prepare(story, rig.tip()))
    for name in names:
        (tree / name).write_text("not a library\n")
    env = {**rig.user.env, "LD_LIBRARY_PATH": "/nowhere/lib64:"}
    assert subprocess.run([GIT, "--version"], cwd=tree, env=env, capture_output=True, check=False).returncode
    return settled(bool(names), landed(rig, story, tree), rig.land({"more.txt": "work\n"}) == Moved(ref="main"))


@attack(row("a relative element of PATH has gates run a program of the candidate", Severity.HIGH, Harm.PROOF))
def test_gates_by_a_relative_path(tier: str, tmp_path: Path) -> Outcome:
    project = new_project(tmp_path)
    verdict = tmp_path / "tools/bin/verdict"
    verdict.parent.mkdir(parents=True)
    verdict.write_text("#!/bin/sh\ntest ! -e hello.txt\n")
    verdict.chmod(0o755)
    wrong = "mkdir -p bin; echo '#!/bin/sh' > bin/verdict; chmod +x bin/verdict\n"
    project.settle(agent=wrong + WORKING, gates='test = "verdict"')
    start, path = project.git("rev-parse", "main"), os.environ["PATH"]  # noqa: TID251 - a test's own
    (tmp_path / "tools/lib").mkdir()
    done = typed(project, tier, "run", "x", "--workflow", "ralph", PATH=f"./bin:{verdict.parent}:{path}")
    assert "US-001" in done.stdout, done
    return settled(done.returncode != 0, project.git("rev-parse", "main") == start)


@attack(row("attributes that land blind the command that shows what landed", Severity.LOW, Harm.PROOF, seen=28))
def test_blinded_show(tmp_path: Path) -> Outcome:
    rig = GitRig(tmp_path)
    rig.land({".gitattributes": "* -diff\n", "evil.py": "import evil\n"})
    words = look_at((rig.user.at("main"),), "main").split()
    return settled("+import evil" in git(rig.user.root, *words[1:]))
