"""Attacks by a git directory that leads git to a file or a repository that the user has not reviewed."""

import asyncio
import shutil
from pathlib import Path

from shiftwork.errors import UnfitRepositoryError
from tests.attacks.git_rig import git, refusal, row, trap
from tests.attacks.state_rig import settled
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.conformance.workspace.git.git_rig import PLACE, GitRig

LANDED: dict[str, str | None] = {".gitattributes": "* filter=evil\n", "work.txt": "work\n"}


def planted(rig: GitRig, canary: Path) -> Path:
    """A file of settings in the checkout that has git run a program."""
    program = trap(canary.parent / "trap", canary)
    file = rig.user.root / "docs/settings"
    (file.parent / "below").mkdir(parents=True)
    file.write_text(f'[filter "evil"]\n\tsmudge = {program}\n\tclean = {program}\n')
    return file


def including(rig: GitRig, path: str) -> None:
    """By hand, as an attacker who packs a folder would."""
    with (rig.user.root / ".git/config").open("a") as config:
        config.write(f'[include]\n\tpath = "{path}"\n')


@attack(row("a file is included by a path that goes up from where a link leads", Severity.CRITICAL, Harm.EXECUTION))
def test_included_beyond_a_link(tmp_path: Path) -> Outcome:
    rig, canary = GitRig(tmp_path), tmp_path / "canary"
    planted(rig, canary)
    (rig.user.root / ".git/lead").symlink_to("../docs/below")
    including(rig, "lead/../settings")
    rig.land(LANDED)
    work = rig.user.root / "work.txt"
    held = not canary.exists() and work.read_text() == "work\n"
    work.unlink()
    rig.user.git("checkout", "-q", "--", "work.txt")
    assert canary.exists(), "git itself falls for it"
    return settled(held)


@attack(row("a file is included by a path that git expands", Severity.CRITICAL, Harm.EXECUTION))
def test_included_by_expansion(tmp_path: Path) -> Outcome:
    """`~root/` is the home of a user by name, `%(prefix)/` the folder that git is installed in."""
    lines = []
    for number, begin in enumerate(("~root/../", "%(prefix)/../")):
        folder = tmp_path / str(number)
        folder.mkdir()
        rig = GitRig(folder)
        including(rig, f"{begin}{planted(rig, tmp_path / 'canary').relative_to('/')}")
        lines.append(refusal(rig, LANDED))
    return settled(not (tmp_path / "canary").exists(), *("would expand" in line for line in lines))


def repository(folder: Path, canary: Path) -> str:
    """One whose own settings have git run a program where it is looked at; its last commit."""
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a").write_text("a\n")
    (folder / ".gitattributes").write_text("* filter=evil\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")
    git(folder, "config", "filter.evil.clean", str(trap(canary.parent / "trap", canary)))
    (folder / "a").write_text("changed\n")
    return git(folder, "rev-parse", "HEAD")


@attack(
    row("a landing that finds edits in its way enters a repository of the index", Severity.CRITICAL, Harm.EXECUTION)
)
def test_entered_when_in_the_way(tmp_path: Path) -> Outcome:
    rig, canary = GitRig(tmp_path), tmp_path / "canary"
    rig.land({"work.txt": "one\n"})
    commit = repository(rig.user.root / "inner", canary)
    rig.user.git("update-index", "--add", "--cacheinfo", f"160000,{commit},inner")
    (rig.user.root / "work.txt").write_text("the user's\n")
    rig.land({"work.txt": "two\n"})
    held = not canary.exists()
    rig.user.git("diff-files", "--name-only")
    assert canary.exists(), "git itself falls for it"
    return settled(held, (rig.user.root / "work.txt").read_text() == "the user's\n")


@attack(
    row("a branch that is not checked out has a submodule, which an agent fills", Severity.CRITICAL, Harm.EXECUTION)
)
def test_submodule_of_another_branch(tmp_path: Path) -> Outcome:
    """Git enters it where the agent's files are added."""
    rig, canary = GitRig(tmp_path), tmp_path / "canary"
    commit = repository(tmp_path / "made", canary)
    root = rig.user.root
    tree = git(root, "mktree", stdin=f"160000 commit {commit}\tinner\n".encode())
    git(root, "update-ref", "refs/heads/dev", git(root, "commit-tree", tree, "-p", "HEAD", "-m", "x"))
    message = ""
    base = asyncio.run(rig.repository.tip("dev"))
    try:
        workspace = asyncio.run(rig.workspaces.prepare(PLACE, base))
        shutil.rmtree(workspace / "inner", ignore_errors=True)
        shutil.copytree(tmp_path / "made", workspace / "inner")
        asyncio.run(rig.workspaces.snapshot(PLACE, base, "step"))
    except UnfitRepositoryError as error:
        message = error.message
    return settled(not canary.exists(), "it has submodules: inner" in message)
