"""Attacks on the harness's state: by a commit, a clone, an archive, a copied folder, another user of the machine."""

import asyncio
import contextlib
import os
import shutil
import stat
from pathlib import Path

import pytest

from shiftwork.bootstrap.state.adopt import adopt
from shiftwork.config.project import Ownership
from shiftwork.errors import ShiftworkError, StateError
from shiftwork.ports.workspace import Reserved
from tests.attacks.state_rig import TITLE, content, filtering, row, settled, site_of, typed
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.conformance.workspace.git.git_rig import GitRig
from tests.e2e.cli_rig import Project, git, new_project

# What a commit or a clone brings ------------------------------------------------------------------------------------


@attack(row("a story lands a commondir where the hub once lay", Severity.CRITICAL, Harm.EXECUTION, seen=1))
def test_commondir(tmp_path: Path) -> Outcome:
    rig, name = GitRig(tmp_path), ".shiftwork/hub.git/commondir"
    built = rig.try_candidate(rig.story({name: "../evil\n"}))
    return settled(isinstance(built, Reserved) and built.files == (name,))


@attack(row("a candidate spells .git or the state folder in another way", Severity.CRITICAL, Harm.EXECUTION))
def test_spellings(tmp_path: Path) -> Outcome:
    rig = GitRig(tmp_path)
    tip, held = rig.tip(), []
    blob = asyncio.run(rig.hub.git.run("hash-object", "-w", "--stdin", stdin=b"evil\n")).text
    for name in (".GIT", "git~1", ".git ", ".g\u200cit", ".Shiftwork", "SHIFTW~1", ".git::$INDEX_ALLOCATION"):
        leaf = asyncio.run(rig.hub.git.run("mktree", "-z", stdin=f"100644 blob {blob}\tconfig\0".encode())).text
        rows = asyncio.run(rig.hub.git.run("ls-tree", "-z", tip)).out + f"040000 tree {leaf}\t{name}\0".encode()
        tree = asyncio.run(rig.hub.git.run("mktree", "-z", stdin=rows)).text
        built = rig.try_candidate(rig.hub.record(tree, tip, "made without adding a file"))
        held.append(isinstance(built, Reserved))
    return settled(*held)


@attack(row("a clone has a hub with a filter where it once lay", Severity.CRITICAL, Harm.EXECUTION, seen=2))
def test_hub_in_a_clone(tier: str, tmp_path: Path) -> Outcome:
    theirs, canary = new_project(tmp_path), tmp_path / "canary"
    filtering(theirs.root / ".shiftwork/hub.git", canary)
    (theirs.root / ".gitattributes").write_text("* filter=evil\n")
    theirs.git("add", "-A", "-f", ".")
    theirs.git("commit", "-q", "-m", "hostile")
    git(tmp_path, "clone", "-q", str(theirs.root), "clone")
    clone = Project(root=tmp_path / "clone", agent=theirs.agent)
    before = content(clone.root / ".shiftwork")
    done = typed(clone, tier, "doctor", "--gates")
    return settled(not canary.exists(), content(clone.root / ".shiftwork") == before, "rm -r .shiftwork" in done.stdout)


@attack(row("a link at .shiftwork/.gitignore leads to a file of the user's", Severity.HIGH, Harm.WRITES, seen=4))
def test_linked_ignore_file(tier: str, tmp_path: Path, outside: Path) -> Outcome:
    project = new_project(tmp_path)
    (project.root / ".shiftwork").mkdir()
    (project.root / ".shiftwork/.gitignore").symlink_to(outside / "precious")
    typed(project, tier, "doctor")
    return settled((outside / "precious").read_text() == "precious\n")


@attack(row("the hub and the workspaces are links to folders of the user's", Severity.HIGH, Harm.WRITES, seen=5))
def test_linked_hub(tier: str, tmp_path: Path, outside: Path) -> Outcome:
    project, before = new_project(tmp_path), content(outside)
    assert project.shiftwork("doctor").returncode == 0
    (project.root / ".shiftwork").mkdir()
    for name in (".shiftwork/hub.git", ".shiftwork/workspaces", ".git/shiftwork/hub.git"):
        shutil.rmtree(project.root / name, ignore_errors=True)
        (project.root / name).symlink_to(outside)
    done = typed(project, tier, "doctor", "--gates")
    return settled(content(outside) == before, "is a link, and shiftwork never creates links there" in done.stdout)


@attack(row("the folder of workspaces in the cache is a link", Severity.HIGH, Harm.WRITES))
def test_linked_workspaces(tmp_path: Path, outside: Path) -> Outcome:
    rig, before = GitRig(tmp_path), content(outside)
    rig.story({"x": "x\n"})
    run = next((rig.hub.cache / "workspaces").iterdir())
    shutil.rmtree(run)
    run.symlink_to(outside)
    (outside / "US-2-1").mkdir()
    before = content(outside)
    with contextlib.suppress(ShiftworkError):
        rig.story({"y": "y\n"})
    return settled(content(outside) == before)


# What an archive or a copied folder brings --------------------------------------------------------------------------


@attack(row("an archive brings a history in its git directory", Severity.HIGH, Harm.CONSENT))
def test_history_of_an_archive(tier: str, unpacked: Project) -> Outcome:
    before = content(unpacked.state)
    shown = [typed(unpacked, tier, *words) for words in (("status", "--all"), ("resume",), ("gc",), ("run", "x"))]
    unread = all(TITLE not in completed.stdout + completed.stderr for completed in shown)
    warned = "was not created here by you and is not read" in shown[0].stderr and "shiftwork adopt" in shown[-1].stderr
    return settled(unread, warned, content(unpacked.state) == before)


@attack(row("the git directory of an archive has a hub with a filter", Severity.CRITICAL, Harm.EXECUTION))
def test_hub_of_an_archive(tier: str, unpacked: Project, tmp_path: Path) -> Outcome:
    shutil.rmtree(unpacked.state / "hub.git")
    filtering(unpacked.state / "hub.git", tmp_path / "canary")
    before = content(unpacked.state)
    typed(unpacked, tier, "doctor", "--gates")
    return settled(not (tmp_path / "canary").exists(), content(unpacked.state) == before)


@attack(row("an archive is unpacked in the place of the folder that it was made of", Severity.HIGH, Harm.CONSENT))
def test_archive_in_place(tier: str, tmp_path: Path) -> Outcome:
    project = new_project(tmp_path)
    assert typed(project, tier, "doctor").returncode == 0
    known = site_of(project).known_project
    tarred = shutil.make_archive(str(tmp_path / "packed"), "tar", project.root)
    shutil.rmtree(project.root)
    shutil.unpack_archive(tarred, project.root, filter="fully_trusted")
    site = site_of(project)
    same = (project.state / "project").read_text().strip() == known
    return settled(same, site.ownership is Ownership.UNREGISTERED, site.known_project == "")


@attack(row("a folder claims the id of another project of the user's", Severity.HIGH, Harm.CONSENT))
def test_id_of_another_project(unpacked: Project, tmp_path: Path) -> Outcome:
    (tmp_path / "own").mkdir()
    own = new_project(tmp_path / "own")
    known = site_of(own).project
    (unpacked.state / "project").write_text(f"{known}\n")
    unread = site_of(unpacked).ownership is Ownership.UNREGISTERED
    adopted = adopt(site_of(unpacked))
    return settled(unread, adopted.project != known, not adopted.same, site_of(own).known_project == known)


@attack(row("a folder points to the git directory of another project", Severity.HIGH, Harm.CONSENT))
def test_gitdir_of_another_project(tier: str, packed: Path, tmp_path: Path) -> Outcome:
    hostile = Project(root=tmp_path / "hostile", agent=tmp_path / "agent.sh")
    hostile.root.mkdir()
    (hostile.root / ".git").write_text(f"gitdir: {packed}/.git\n")
    shown = typed(hostile, tier, "status", "--all")
    return settled(TITLE not in shown.stdout, "is not read" in shown.stderr)


@attack(row("a git directory says that it shares another's", Severity.HIGH, Harm.CONSENT))
def test_commondir_of_another_project(tier: str, packed: Path, unpacked: Project) -> Outcome:
    (unpacked.root / ".git/commondir").write_text(f"{packed}/.git\n")
    (unpacked.root / ".git/gitdir").write_text("../.git\n")
    shown = typed(unpacked, tier, "status", "--all")
    return settled(TITLE not in shown.stdout, shown.returncode == 64)


@attack(row("the state folder is a link to that of another project", Severity.HIGH, Harm.WRITES))
def test_linked_state(tier: str, packed: Path, unpacked: Project) -> Outcome:
    shutil.rmtree(unpacked.state)
    unpacked.state.symlink_to(packed / ".git/shiftwork")
    before = content(packed / ".git/shiftwork")
    shown = [typed(unpacked, tier, *words) for words in (("status", "--all"), ("doctor",), ("gc", "--all"))]
    held = all(TITLE not in completed.stdout and completed.returncode for completed in shown)
    return settled(held, content(packed / ".git/shiftwork") == before)


@attack(row("a link among what is adopted leads to a file of the user's", Severity.HIGH, Harm.WRITES))
def test_adopted_links(unpacked: Project, outside: Path) -> Outcome:
    held, before = [], content(outside)
    for name in ("state.db", "bundles", "hub.git/refs/heads", "logs/x"):
        place = unpacked.state / name
        kept = place.rename(place.with_name("kept")) if place.exists() else None
        place.symlink_to(outside)
        with pytest.raises(StateError, match="is a link"):
            adopt(site_of(unpacked))
        held.append(site_of(unpacked).ownership is Ownership.UNREGISTERED)
        place.unlink()
        if kept:
            kept.rename(place)
    return settled(*held, content(outside) == before)


@attack(row("a file of what is adopted has a second name elsewhere", Severity.MEDIUM, Harm.WRITES))
def test_adopted_hard_links(unpacked: Project, outside: Path) -> Outcome:
    os.link(outside / "precious", unpacked.state / "state.db-journal")
    try:
        adopt(site_of(unpacked))
    except StateError as error:
        return settled("a file with a second hard link" in error.message)
    return Outcome.SUCCEEDED


@attack(row("what is adopted says which gates were green", Severity.HIGH, Harm.PROOF))
def test_adopted_verdicts(unpacked: Project) -> Outcome:
    for name in ("verdicts", "known", "environments", "indexes"):
        (unpacked.state / name).mkdir(exist_ok=True)
        (unpacked.state / name / "planted").write_text("{}")
    adopt(site_of(unpacked))
    left = {entry.name for entry in unpacked.state.iterdir()}
    return settled(not left & {"verdicts", "known", "environments", "indexes"}, "state.db" in left)


@attack(row("the hub of what is adopted has settings, hooks and borrowed objects", Severity.CRITICAL, Harm.EXECUTION))
def test_adopted_hub(tier: str, unpacked: Project, tmp_path: Path, outside: Path) -> Outcome:
    hub = unpacked.state / "hub.git"
    shutil.rmtree(hub)
    filtering(hub, tmp_path / "canary")
    (hub / "hooks").mkdir()
    (hub / "objects/info").mkdir(exist_ok=True)
    (hub / "objects/info/alternates").write_text(f"{outside}/objects\n")
    adopt(site_of(unpacked))
    typed(unpacked, tier, "doctor", "--gates")
    borrowed = (hub / "objects/info/alternates").read_text()
    gone = not any((hub / name).exists() for name in ("commondir", "evil", "hooks"))
    return settled(gone, borrowed == f"{unpacked.root}/.git/objects\n", not (tmp_path / "canary").exists())


@attack(row("the name of a folder writes to the terminal", Severity.LOW, Harm.CONSENT))
def test_escapes_in_names(tier: str, unpacked: Project) -> Outcome:
    hostile = Project(root=unpacked.root.rename(unpacked.root.with_name("a\x1b]0;b\x07c")), agent=unpacked.agent)
    shown = [typed(hostile, tier, *words) for words in (("status",), ("doctor",), ("gc",), ("adopt",))]
    return settled(all("\x1b" not in completed.stdout + completed.stderr for completed in shown))


# Another user of the machine ----------------------------------------------------------------------------------------


@attack(row("a folder above is another user's repository", Severity.HIGH, Harm.EXECUTION))
def test_repository_of_another_user(tier: str, unpacked: Project) -> Outcome:
    """As in a folder below /tmp. Runs as root, because only root can give a folder away."""
    below = unpacked.root / "below"
    below.mkdir()
    owner = 12345 if os.geteuid() == 0 else os.geteuid()
    os.chown(unpacked.root / ".git", owner, -1)
    shown = typed(Project(root=below, agent=unpacked.agent), tier, "status", "--all")
    refused = "belongs to another user" in shown.stderr or owner == os.geteuid()
    return settled(refused, TITLE not in shown.stdout)


@attack(row("another user reads the history, logs and prompts", Severity.MEDIUM, Harm.SECRETS, seen=24))
def test_modes(tier: str, tmp_path: Path) -> Outcome:
    project = new_project(tmp_path)
    assert typed(project, tier, "run", "Add a greeting", "--workflow", "ralph").returncode == 0
    paths = [project.state, *project.state.rglob("*")]
    names = {path.name for path in paths}
    closed = [stat.S_IMODE(path.lstat().st_mode) & 0o077 == 0 for path in paths]
    users = stat.S_IMODE((project.root / "hello.txt").stat().st_mode)
    mask = os.umask(0o022)
    os.umask(mask)
    return settled(*closed, {"state.db", "prompt.md"} <= names, users == 0o666 & ~mask)
