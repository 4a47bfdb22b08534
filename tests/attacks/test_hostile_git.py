"""Attacks by a git directory from an attacker's archive: where the harness's git works, and what it believes."""

import asyncio
import os
import shutil
from pathlib import Path

from shiftwork.adapters.workspace.git.user_git import user_git
from shiftwork.ports.workspace import Moved
from shiftwork.testing.git_user import new_user
from tests.attacks.git_rig import answered, git, refusal, row, trap
from tests.attacks.state_rig import content, settled
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.conformance.workspace.git.git_rig import HELD, GitRig


@attack(row("core.worktree leads a landing to a folder of the user's", Severity.HIGH, Harm.WRITES))
def test_work_tree(tmp_path: Path) -> Outcome:
    home = tmp_path / "precious"
    home.mkdir()
    (home / "notes").write_text("mine\n")
    user, before = new_user(tmp_path), content(home)
    user.git("config", "core.worktree", str(home))
    rig = GitRig(tmp_path, user)
    moved = rig.land({"notes": "theirs\n", ".bashrc": "theirs\n"})
    return settled(moved == Moved(ref="main"), content(home) == before, (user.root / ".bashrc").exists())


@attack(row("a git directory lists a folder of the user's as its worktree", Severity.HIGH, Harm.WRITES))
def test_listed_worktree(tmp_path: Path) -> Outcome:
    user = new_user(tmp_path)
    victim = tmp_path / "victim"
    shutil.copytree(user.root, victim)
    user.git("switch", "--quiet", "--detach")
    listed = user.root / ".git/worktrees/evil"
    listed.mkdir(parents=True)
    (listed / "gitdir").write_text(f"{victim}/.git\n")
    (listed / "HEAD").write_text("ref: refs/heads/main\n")
    (listed / "commondir").write_text("../..\n")
    rig, before = GitRig(tmp_path, user), content(victim)
    message = refusal(rig)
    return settled("listed as a worktree" in message, content(victim) == before)


@attack(row("a missing object is fetched by a program that settings name", Severity.CRITICAL, Harm.EXECUTION))
def test_lazy_fetch(tmp_path: Path) -> Outcome:
    user, canary = new_user(tmp_path), tmp_path / "canary"
    program = trap(tmp_path / "trap", canary)
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{program} %s",
        "protocol.ext.allow": "always",
        "protocol.allow": "always",
        "core.sshCommand": str(program),
    }.items():
        user.git("config", name, value)
    tree = user.git("rev-parse", "HEAD^{tree}")
    (user.root / ".git/objects" / tree[:2] / tree[2:]).unlink()
    answered(user_git(root=user.root, state=user.state, env=user.env), "ls-tree", "-r", "HEAD")
    held = not canary.exists()
    user.try_git("ls-tree", "-r", "HEAD")
    assert canary.exists(), "git itself falls for it"
    return settled(held)


@attack(row("refs/replace shows the user what no gate has seen", Severity.HIGH, Harm.PROOF))
def test_replaced(tmp_path: Path) -> Outcome:
    rig = GitRig(tmp_path)
    evil = git(rig.user.root, "hash-object", "-w", "--stdin", stdin=b"evil\n")
    good = git(rig.user.root, "hash-object", "-w", "--stdin", stdin=b"good\n")
    rig.user.git("replace", good, evil)
    rig.land({"work.txt": "good\n"})
    return settled((rig.user.root / "work.txt").read_text() == "good\n")


@attack(row("grafts give commits another history", Severity.MEDIUM, Harm.PROOF))
def test_history(tmp_path: Path) -> Outcome:
    """The branch would have the other branch's commits, so that work counts as landed."""
    user = new_user(tmp_path)
    base = user.at("HEAD")
    user.git("switch", "--quiet", "--orphan", "evil")
    evil = user.commit("never on main", {"evil.txt": "evil\n"})
    user.git("switch", "--quiet", "main")
    (user.root / ".git/info").mkdir(exist_ok=True)
    (user.root / ".git/info/grafts").write_text(f"{base} {evil}\n")
    assert user.try_git("merge-base", "--is-ancestor", evil, "main").returncode == 0, "git itself falls for it"
    rig = GitRig(tmp_path, user)
    theirs = asyncio.run(rig.hub.user.run("merge-base", "--is-ancestor", evil, "main", accept=(0, 1))).code
    return settled(theirs == 1, not asyncio.run(rig.hub.contains(base, evil)))


@attack(row("a story has more names than a program can be given", Severity.MEDIUM, Harm.DENIAL))
def test_many_long_names(tmp_path: Path) -> Outcome:
    """Files of the user's are in its way, so that git is asked about each of them."""
    rig, folder = GitRig(tmp_path), "/".join(["d" * 240] * 14)
    files: dict[str, str | None] = {f"{folder}/{number}": "theirs\n" for number in range(700)}
    for name in files:
        rig.user.write(name, "mine\n")
    assert sum(map(len, files)) > os.sysconf("SC_ARG_MAX"), "it would fit"
    moved = rig.land(files)
    return settled(moved == Moved(ref=HELD), (rig.user.root / folder / "7").read_text() == "mine\n")


@attack(row("variables of the shell lead git to another repository", Severity.MEDIUM, Harm.WRITES))
def test_variables(tmp_path: Path) -> Outcome:
    """As in a shell that a hook of another repository has started."""
    user, other = new_user(tmp_path), new_user(tmp_path / "other")
    before = content(other.root / ".git")
    led = {
        "GIT_DIR": f"{other.root}/.git",
        "GIT_INDEX_FILE": f"{other.root}/.git/index",
        "GIT_OBJECT_DIRECTORY": f"{other.root}/.git/objects",
        "GIT_WORK_TREE": str(other.root),
        "GIT_EXEC_PATH": str(tmp_path),
        "GIT_TRACE": f"{other.root}/.git/trace",
        "GIT_CONFIG_PARAMETERS": f"'core.worktree={other.root}'",
    }
    git_of_user = user_git(root=user.root, state=user.state, env={**user.env, **led})
    asyncio.run(git_of_user.run("update-ref", "refs/heads/new", user.at("HEAD")))
    return settled(content(other.root / ".git") == before, user.at("new") == user.at("HEAD"))
