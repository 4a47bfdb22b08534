"""Attacks by the files of a git directory from an attacker's archive: links, pipes, names, a repository inside."""

import asyncio
import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from shiftwork.adapters.specs._files import rewrite
from shiftwork.adapters.workspace.tree.checkout import Checkout
from shiftwork.bootstrap.work.repository import current_branch, uncommitted
from shiftwork.config.site import STATE_HOME, Site, find_site
from shiftwork.errors import ShiftworkError
from shiftwork.ports.workspace import Moved
from shiftwork.testing.git_user import GitUser, new_user
from tests.attacks.git_rig import refusal, row, trap
from tests.attacks.state_rig import SOON, content, settled, typed
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.conformance.workspace.git.git_rig import PLACE, GitRig
from tests.e2e.cli_rig import new_project
from tests.patience import Stopwatch

WORDS = "the combination is 1 2 3 4 5"


def site_of(user: GitUser) -> Site:
    return find_site(user.root, {STATE_HOME: str(user.root.parent / "state")})


def opened(user: GitUser) -> GitRig | str:
    """The repository as the harness works in it, or why it does not."""
    try:
        return GitRig(user.root.parent, user)
    except ShiftworkError as error:
        return error.message if error.hint else ""


def precious(folder: Path) -> Path:
    (folder / "home").mkdir(exist_ok=True)
    (folder / "home/.bashrc").write_text("precious\n")
    return folder / "home/.bashrc"


# Links, where git writes ---------------------------------------------------------------------------------------------


@attack(row("a link below .git/logs has a landing append to a file of the user's", Severity.HIGH, Harm.WRITES))
def test_linked_log(tmp_path: Path) -> Outcome:
    """Put there after the run has begun, as an agent without a sandbox could."""
    user = new_user(tmp_path)
    file, rig = precious(tmp_path), GitRig(tmp_path, user)
    shutil.rmtree(user.root / ".git/logs", ignore_errors=True)
    (user.root / ".git/logs/refs/heads").mkdir(parents=True)
    (user.root / ".git/logs/refs/heads/main").symlink_to(file)
    message = refusal(rig)
    return settled("is a link" in message, file.read_text() == "precious\n", "is a link" in str(opened(user)))


@attack(row("a link at .git/index has a landing replace a file of the user's", Severity.HIGH, Harm.WRITES))
def test_linked_index(tmp_path: Path) -> Outcome:
    user, file = new_user(tmp_path), precious(tmp_path)
    shutil.move(user.root / ".git/index", file)
    (user.root / ".git/index").symlink_to(file)
    before = file.read_bytes()
    return settled("index is a link" in str(opened(user)), file.read_bytes() == before)


@attack(row("a link at .git/objects has objects written to a folder of the user's", Severity.MEDIUM, Harm.WRITES))
def test_linked_objects(tmp_path: Path) -> Outcome:
    user, elsewhere = new_user(tmp_path), tmp_path / "elsewhere"
    shutil.move(user.root / ".git/objects", elsewhere)
    (user.root / ".git/objects").symlink_to(elsewhere)
    before = content(elsewhere)
    return settled("objects is a link" in str(opened(user)), content(elsewhere) == before)


@attack(row("a story lands a link where the spec is written before it is replaced", Severity.HIGH, Harm.WRITES))
def test_linked_draft(tmp_path: Path) -> Outcome:
    file, spec = precious(tmp_path), tmp_path / "prd.json"
    spec.write_text("{}\n")
    (tmp_path / ".prd.json.shiftwork").symlink_to(file)
    rewrite(spec, "prd.json", lambda old: old.replace("{}", '{"passes": true}'))
    return settled(file.read_text() == "precious\n", "passes" in spec.read_text())


# Files that agents would get ---------------------------------------------------------------------------------------


def told_to_agents(user: GitUser) -> str:
    """All that an agent's tree and its repository say."""
    rig = opened(user)
    if isinstance(rig, str):
        return rig
    tree = asyncio.run(rig.workspaces.prepare(PLACE, rig.tip()))
    assert Checkout(hub=rig.hub, name="x").hub.excludes_file.is_file()
    files = [path for path in tree.rglob("*") if path.is_file()]
    return "".join(path.read_bytes().decode(errors="replace") for path in files)


@attack(row("a link at .git/info/exclude copies a secret into an agent's tree", Severity.HIGH, Harm.SECRETS))
def test_linked_excludes(tmp_path: Path) -> Outcome:
    user = new_user(tmp_path)
    (tmp_path / "secret").write_text(f"{WORDS}\n")
    (user.root / ".git/info").mkdir(exist_ok=True)
    (user.root / ".git/info/exclude").unlink(missing_ok=True)
    (user.root / ".git/info/exclude").symlink_to(tmp_path / "secret")
    return settled(WORDS not in told_to_agents(user), isinstance(opened(user), str))


@attack(row("core.excludesFile of the repository copies a secret into an agent's tree", Severity.HIGH, Harm.SECRETS))
def test_named_excludes(tmp_path: Path) -> Outcome:
    """What the user's own settings name is still heard."""
    user = new_user(tmp_path)
    (tmp_path / "secret").write_text(f"{WORDS}\n")
    (tmp_path / "rules").write_text("*.mine\n")
    user.git("config", "--global", "core.excludesFile", str(tmp_path / "rules"))
    user.git("config", "core.excludesFile", str(tmp_path / "secret"))
    shown = told_to_agents(user)
    return settled(WORDS not in shown, "*.mine" in shown)


# What is waited for ------------------------------------------------------------------------------------------------


@attack(row("a pipe in a git directory is waited for by every command", Severity.MEDIUM, Harm.DENIAL))
def test_pipe(tier: str, tmp_path: Path) -> Outcome:
    project = new_project(tmp_path)
    (project.root / ".git/HEAD").unlink()
    os.mkfifo(project.root / ".git/HEAD")
    watch = Stopwatch()
    done = [typed(project, tier, *words) for words in (("doctor",), ("run", "x"), ("status",))]
    said = all("neither a file nor a folder" in completed.stdout + completed.stderr for completed in done[:2])
    return settled(said, watch.within(2 * SOON))


@attack(row("a pipe says which branch a rebase returns to", Severity.MEDIUM, Harm.DENIAL))
def test_pipe_of_a_rebase(tmp_path: Path) -> Outcome:
    """It is there only once the work has begun."""
    rig = GitRig(tmp_path)
    (rig.user.root / ".git/rebase-merge").mkdir()
    os.mkfifo(rig.user.root / ".git/rebase-merge/head-name")
    watch = Stopwatch()
    return settled("neither a file nor a folder" in refusal(rig), watch.within(SOON))


@attack(row("refs lie in folders that are deeper than any path", Severity.LOW, Harm.DENIAL))
def test_deep_refs(emptied_path: Path) -> Outcome:
    user = new_user(emptied_path)
    there = os.open(user.root / ".git/refs", os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("deep", dir_fd=there)
        further = os.open("deep", os.O_RDONLY, dir_fd=there)
        os.close(there)
        there = further
    os.close(there)
    return settled("cannot be read: File name too long" in str(opened(user)))


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """As another user with read access to the folder does."""
    handle = os.open(folder, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_SH)
    try:
        yield
    finally:
        os.close(handle)


@attack(row("another user locks the folder of the spec for ever", Severity.MEDIUM, Harm.DENIAL))
def test_locked_folder(tmp_path: Path) -> Outcome:
    spec = tmp_path / "prd.json"
    spec.write_text("{}\n")
    watch = Stopwatch()
    with held(tmp_path):
        rewrite(spec, "prd.json", lambda old: f"{old}\n")
    return settled(watch.within(SOON), spec.read_text() == "{}\n\n")


# Names that are mistaken for others --------------------------------------------------------------------------------


@attack(row("a tag has the name of the branch that work lands on", Severity.MEDIUM, Harm.PROOF))
def test_tag_like_the_branch(tmp_path: Path) -> Outcome:
    rig = GitRig(tmp_path)
    evil = rig.user.commit("evil", {"evil.txt": "evil\n"})
    rig.user.git("tag", "main", evil)
    rig.user.git("reset", "--quiet", "--hard", "HEAD~1")
    site = site_of(rig.user)
    branch = asyncio.run(current_branch(site, rig.user.env))
    moved = rig.land({"work.txt": "work\n"})
    files = rig.user.git("ls-tree", "-r", "--name-only", "refs/heads/main").splitlines()
    return settled(branch == "main", moved == Moved(ref="main"), "evil.txt" not in files, "work.txt" in files)


@attack(row("the index holds a repository whose settings name a filter", Severity.CRITICAL, Harm.EXECUTION))
def test_repository_in_the_index(tmp_path: Path) -> Outcome:
    user, canary = new_user(tmp_path), tmp_path / "canary"
    inner = GitUser(root=user.root / "inner")
    inner.root.mkdir()
    user.git("init", "--quiet", str(inner.root))
    user.git("commit", "--quiet", "--allow-empty", "-m", "x", cwd=inner.root)
    (inner.root / "file").write_text("one\n")
    (inner.root / ".gitattributes").write_text("* filter=evil\n")
    user.git("add", "-A", cwd=inner.root)
    user.git("commit", "--quiet", "-m", "y", cwd=inner.root)
    user.git("config", "filter.evil.clean", str(trap(tmp_path / "trap", canary)), cwd=inner.root)
    user.git("-c", "advice.addEmbeddedRepo=false", "add", "inner")
    (inner.root / "file").write_text("two\n")
    os.utime(inner.root / "file", (1, 1))
    asyncio.run(uncommitted(site_of(user), user.env))
    held = not canary.exists()
    user.status()
    assert canary.exists(), "git itself falls for it"
    return settled(held)


@attack(row("the index of a packed repository is none", Severity.LOW, Harm.DENIAL))
def test_absurd_index(tier: str, tmp_path: Path) -> Outcome:
    project = new_project(tmp_path)
    (project.root / ".git/index").write_bytes(b"DIRC\0\0\0\2\xff\xff\xff\xff" + b"\0" * 64)
    done = typed(project, tier, "run", "x", "--workflow", "ralph")
    return settled(
        "its index cannot be read" in done.stderr, "rm .git/index" in done.stderr, "begins" not in done.stdout
    )
