"""Attacks on what the harness keeps: its history, its hub, its engine, and the files that it reads first."""

import asyncio
import base64
import contextlib
import hashlib
import json
import os
import pickle
import shutil
import sqlite3
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.adapters.engine.dbos import DbosEngine, DbosSettings
from shiftwork.bootstrap.adopting import adopt
from shiftwork.config.project import Standing
from shiftwork.config.site import STATE_HOME, Site, find_site
from shiftwork.errors import ShiftworkError, StateError
from shiftwork.ports.engine import Checkpoints, Job
from shiftwork.ports.workspace import Reserved
from tests import warm
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.conformance.git_rig import World, hub_of
from tests.e2e.cli_rig import Project, environment, git, new_project

TITLE = "Planted by somebody else"
SOON = 20.0
"""Seconds. What takes longer hangs."""


def row(name: str, severity: Severity, harm: Harm, seen: int | None = None) -> Attack:
    return Attack(name=name, layer="state", severity=severity, harm=harm, seen=seen)


def settled(*held: bool) -> Outcome:
    return Outcome.PREVENTED if all(held) else Outcome.SUCCEEDED


def typed(project: Project, tier: str, *words: str, trusted: bool = True) -> subprocess.CompletedProcess[str]:
    walls = {"SHIFTWORK_SANDBOX": "bubblewrap" if tier == "auto" else "none"}
    env = project.environment(**walls, **({} if trusted else {"SHIFTWORK_TRUST": ""}))
    return warm.run(words, cwd=project.root, env=env, timeout=SOON)


def site_of(project: Project) -> Site:
    return find_site(project.root, {STATE_HOME: environment()[STATE_HOME]})


def content(folder: Path) -> str:
    """All that lies there, in a word."""
    told = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        told.update(bytes(path.relative_to(folder)))
        told.update(str(path.lstat().st_mode).encode())
        told.update(path.read_bytes() if path.is_file() and not path.is_symlink() else b"")
    return told.hexdigest()


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as somebody else has packed it: with the state of a run, and a filter in the hub."""
    project = new_project(tmp_path_factory.mktemp("packed"))
    ended = project.shiftwork("run", TITLE, "--workflow", "ralph")
    assert ended.returncode == 0, ended
    assert TITLE in project.shiftwork("status", "--all").stdout
    return project.root


@pytest.fixture
def unpacked(packed: Path, tmp_path: Path) -> Project:
    """The same in a folder of the user's, who has never worked in it."""
    root = tmp_path / "project"
    shutil.copytree(packed, root, symlinks=True)
    (tmp_path / "agent.sh").write_text(f"touch {tmp_path}/canary\n")
    return Project(root=root, agent=tmp_path / "agent.sh")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Another repository of the user's."""
    folder = tmp_path / "outside"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main", "--bare")
    (folder / "hooks").mkdir(exist_ok=True)
    (folder / "hooks/pre-push").write_text("#!/bin/sh\ntrue\n")
    (folder / "precious").write_text("precious\n")
    return folder


def filtering(hub: Path, canary: Path) -> None:
    """A repository whose settings have git run a program."""
    hub.mkdir(parents=True)
    git(hub, "init", "-q", "--bare", "--template=", ".")
    (hub / "evil").mkdir()
    shutil.copy(hub / "config", hub / "evil/config")
    git(hub.parent, "config", "--file", str(hub / "evil/config"), "filter.evil.clean", f"touch {canary}; cat")
    git(hub.parent, "config", "--file", str(hub / "evil/config"), "filter.evil.smudge", f"touch {canary}; cat")
    git(hub.parent, "config", "--file", str(hub / "evil/config"), "core.fsmonitor", f"touch {canary}")
    for name in ("objects", "refs", "HEAD"):
        shutil.move(hub / name, hub / "evil" / name)
    shutil.copytree(hub / "evil/objects", hub / "objects")
    shutil.copytree(hub / "evil/refs", hub / "refs")
    shutil.copy(hub / "evil/HEAD", hub / "HEAD")
    (hub / "commondir").write_text("evil\n")


# What a commit or a clone brings ------------------------------------------------------------------------------------


@attack(row("a story lands a commondir where the hub once lay", Severity.CRITICAL, Harm.EXECUTION, seen=1))
def test_commondir(tier: str, tmp_path: Path) -> Outcome:
    del tier
    world, name = World(tmp_path), ".shiftwork/hub.git/commondir"
    built = world.try_candidate(world.story({name: "../evil\n"}))
    return settled(isinstance(built, Reserved) and built.files == (name,))


@attack(row("a candidate spells .git or the state folder in another way", Severity.CRITICAL, Harm.EXECUTION))
def test_spellings(tier: str, tmp_path: Path) -> Outcome:
    del tier
    world = World(tmp_path)
    tip, held = world.tip(), []
    blob = asyncio.run(world.hub.git.run("hash-object", "-w", "--stdin", stdin=b"evil\n")).text
    for name in (".GIT", "git~1", ".git ", ".g\u200cit", ".Shiftwork", "SHIFTW~1", ".git::$INDEX_ALLOCATION"):
        leaf = asyncio.run(world.hub.git.run("mktree", "-z", stdin=f"100644 blob {blob}\tconfig\0".encode())).text
        rows = asyncio.run(world.hub.git.run("ls-tree", "-z", tip)).out + f"040000 tree {leaf}\t{name}\0".encode()
        tree = asyncio.run(world.hub.git.run("mktree", "-z", stdin=rows)).text
        built = world.try_candidate(world.hub.record(tree, tip, "made without adding a file"))
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
    return settled(content(outside) == before, "is a link, and shiftwork makes none there" in done.stdout)


@attack(row("the folder of workspaces in the cache is a link", Severity.HIGH, Harm.WRITES))
def test_linked_workspaces(tier: str, tmp_path: Path, outside: Path) -> Outcome:
    del tier
    world, before = World(tmp_path), content(outside)
    world.story({"x": "x\n"})
    run = next((world.hub.cache / "workspaces").iterdir())
    shutil.rmtree(run)
    run.symlink_to(outside)
    (outside / "US-2-1").mkdir()
    before = content(outside)
    with contextlib.suppress(ShiftworkError):
        world.story({"y": "y\n"})
    return settled(content(outside) == before)


# What an archive or a copied folder brings --------------------------------------------------------------------------


@attack(row("an archive brings a history in its git directory", Severity.HIGH, Harm.CONSENT))
def test_history_of_an_archive(tier: str, unpacked: Project) -> Outcome:
    before = content(unpacked.state)
    shown = [typed(unpacked, tier, *words) for words in (("status", "--all"), ("resume",), ("gc",), ("run", "x"))]
    unread = all(TITLE not in one.stdout + one.stderr for one in shown)
    told = "was not made here by you and is not read" in shown[0].stderr and "shiftwork adopt" in shown[-1].stderr
    return settled(unread, told, content(unpacked.state) == before)


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
    return settled(same, site.standing is Standing.UNREGISTERED, site.known_project == "")


@attack(row("a folder claims the id of another project of the user's", Severity.HIGH, Harm.CONSENT))
def test_id_of_another_project(tier: str, unpacked: Project, tmp_path: Path) -> Outcome:
    del tier
    (tmp_path / "own").mkdir()
    own = new_project(tmp_path / "own")
    known = site_of(own).project
    (unpacked.state / "project").write_text(f"{known}\n")
    unread = site_of(unpacked).standing is Standing.UNREGISTERED
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
    held = all(TITLE not in one.stdout and one.returncode for one in shown)
    return settled(held, content(packed / ".git/shiftwork") == before)


@attack(row("a link among what is adopted leads to a file of the user's", Severity.HIGH, Harm.WRITES))
def test_adopted_links(tier: str, unpacked: Project, outside: Path) -> Outcome:
    del tier
    held, before = [], content(outside)
    for name in ("state.db", "bundles", "hub.git/refs/heads", "logs/x"):
        place = unpacked.state / name
        kept = place.rename(place.with_name("kept")) if place.exists() else None
        place.symlink_to(outside)
        with pytest.raises(StateError, match="is a link"):
            adopt(site_of(unpacked))
        held.append(site_of(unpacked).standing is Standing.UNREGISTERED)
        place.unlink()
        if kept:
            kept.rename(place)
    return settled(*held, content(outside) == before)


@attack(row("a file of what is adopted has a second name elsewhere", Severity.MEDIUM, Harm.WRITES))
def test_adopted_hard_links(tier: str, unpacked: Project, outside: Path) -> Outcome:
    del tier
    os.link(outside / "precious", unpacked.state / "state.db-journal")
    try:
        adopt(site_of(unpacked))
    except StateError as error:
        return settled("a file with a second name" in error.message)
    return Outcome.SUCCEEDED


@attack(row("what is adopted says which gates were green", Severity.HIGH, Harm.PROOF))
def test_adopted_verdicts(tier: str, unpacked: Project) -> Outcome:
    del tier
    for name in ("verdicts", "known", "environments", "indexes"):
        (unpacked.state / name).mkdir(exist_ok=True)
        (unpacked.state / name / "planted").write_text("{}")
    adopt(site_of(unpacked))
    left = {entry.name for entry in unpacked.state.iterdir()}
    return settled(not left & {"verdicts", "known", "environments", "indexes", "engine.db"}, "state.db" in left)


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
    return settled(all("\x1b" not in one.stdout + one.stderr for one in shown))


# Another user of the machine ----------------------------------------------------------------------------------------


@attack(row("a folder above is another user's repository", Severity.HIGH, Harm.EXECUTION))
def test_repository_of_another_user(tier: str, unpacked: Project) -> Outcome:
    """As in a folder below /tmp. Played as root, who alone can give a folder away."""
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
    return settled(*closed, {"state.db", "engine.db", "prompt.md"} <= names, users == 0o666 & ~mask)


# The engine ---------------------------------------------------------------------------------------------------------


class Payload:
    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.canary}",)


def pickled(canary: Path) -> str:
    return base64.b64encode(pickle.dumps(Payload(canary))).decode()


@contextlib.contextmanager
def planted_engine(folder: Path, change: str) -> Iterator[str]:
    """The database of an engine that has died, with a row of its jobs that says that it is pickled."""
    url = f"sqlite:///{folder}/engine.db"

    async def dies() -> None:
        async def body(_: Job, __: Checkpoints) -> None:
            await asyncio.sleep(60)

        engine = await DbosEngine.open(settings(url, "dead"), {"run": body})
        await engine.start(Job(id="j", kind="run", stream="run/r"))
        await engine.close()

    asyncio.run(dies())
    with contextlib.closing(sqlite3.connect(folder / "engine.db")) as database, database:
        for statement in ("UPDATE workflow_status SET serialization = 'py_pickle'", change):
            assert database.execute(statement, {"pickled": pickled(folder / "canary")}).rowcount == 1
    yield url


def settings(url: str, executor: str) -> DbosSettings:
    return DbosSettings(name="shiftwork", url=url, executor=executor, version="1")


async def recovered(url: str) -> str:
    async def body(_: Job, __: Checkpoints) -> None:
        return

    engine = await DbosEngine.open(settings(url, "living"), {"run": body})
    try:
        await engine.recover("dead")
        await asyncio.wait_for(engine.join(Job(id="j", kind="run", stream="run/r")), timeout=5)
    except (ShiftworkError, TimeoutError) as error:
        return str(error)
    finally:
        await engine.close()
    return ""


@attack(row("a row of the engine's database says that its input is pickled", Severity.CRITICAL, Harm.EXECUTION, seen=3))
def test_pickled_input(tier: str, tmp_path: Path) -> Outcome:
    del tier
    with planted_engine(tmp_path, "UPDATE workflow_input SET inputs = :pickled") as url:
        told = asyncio.run(recovered(url))
    return settled(not (tmp_path / "canary").exists(), bool(told))


@attack(row("a job that has ended left a pickled error", Severity.CRITICAL, Harm.EXECUTION))
def test_pickled_error(tier: str, tmp_path: Path) -> Outcome:
    del tier
    with planted_engine(tmp_path, "UPDATE workflow_status SET status = 'ERROR', error = :pickled") as url:
        asyncio.run(recovered(url))
    return settled(not (tmp_path / "canary").exists())


# Files that are read first ------------------------------------------------------------------------------------------


@attack(row("the settings are nested 5,000 deep, a device or a pipe", Severity.LOW, Harm.DENIAL, seen=27))
def test_bad_settings(tier: str, tmp_path: Path) -> Outcome:
    project, held = new_project(tmp_path), []
    file = project.root / "shiftwork.toml"
    for kind in ("deep", "zero", "pipe"):
        file.unlink()
        match kind:
            case "deep":
                file.write_text("x = " + "[" * 5000 + "]" * 5000)
            case "zero":
                file.symlink_to("/dev/zero")
            case _:
                os.mkfifo(file)
        for words, codes in ((("status",), {64}), (("doctor",), {1}), (("run", "x"), {64})):
            ended = typed(project, tier, *words)
            held.append(ended.returncode in codes and "should not have happened" not in ended.stderr)
    return settled(*held)


@attack(row("a spec or a workflow is a pipe or a device", Severity.LOW, Harm.DENIAL))
def test_bad_specs(tier: str, tmp_path: Path) -> Outcome:
    project, held = new_project(tmp_path), []
    os.mkfifo(project.root / "prd.json")
    (project.root / "plan.md").symlink_to("/dev/zero")
    (project.root / "shiftwork/workflows").mkdir(parents=True)
    os.mkfifo(project.root / "shiftwork/workflows/own.yml")
    asked = [("run", "prd.json"), ("plan", "prd.json"), ("run", "plan.md"), ("run", "x", "--workflow", "own")]
    for words in (*asked, ("workflow", "list"), ("workflow", "show", "own"), ("workflow", "validate", "own")):
        ended = typed(project, tier, *words)
        held.append("should not have happened" not in ended.stderr)
        held.append(ended.returncode in ({0, 64} if words == ("workflow", "list") else {64}))
    return settled(*held)


@attack(row("the settings are a link to a secret, which an error quotes", Severity.MEDIUM, Harm.SECRETS))
def test_linked_settings(tier: str, tmp_path: Path) -> Outcome:
    project, secret = new_project(tmp_path), "AKIA-not-for-you"
    (tmp_path / "credentials").write_text(f"{secret}\n[default]\nkey = {secret}\n")
    (project.root / "shiftwork.toml").unlink()
    (project.root / "shiftwork.toml").symlink_to(tmp_path / "credentials")
    shown = [typed(project, tier, *words) for words in (("doctor",), ("run", "x"), ("trust",), ("status", "--json"))]
    return settled(all(secret not in one.stdout + one.stderr for one in shown))


@attack(row("a number in the git directory sends the reader of a worktree to a pipe", Severity.LOW, Harm.DENIAL))
def test_pipe_in_the_git_directory(tier: str, tmp_path: Path) -> Outcome:
    project = new_project(tmp_path)
    os.mkfifo(project.root / ".git/commondir")
    ended = typed(project, tier, "status")
    return settled(ended.returncode == 64, "it is not a regular file" in ended.stderr)


@attack(row("an index of the hub is a link to a file of the user's", Severity.MEDIUM, Harm.WRITES))
def test_linked_index(tier: str, tmp_path: Path, outside: Path) -> Outcome:
    del tier
    world, before = World(tmp_path), content(outside)
    indexes = world.user.state / "indexes"
    shutil.rmtree(indexes, ignore_errors=True)
    indexes.symlink_to(outside)
    with contextlib.suppress(ShiftworkError):
        world.story({"x": "x\n"})
    return settled(content(outside) == before)


@attack(row("the hub borrows objects that somebody else can change", Severity.HIGH, Harm.PROOF))
def test_planted_alternates(tier: str, tmp_path: Path, outside: Path) -> Outcome:
    del tier
    world = World(tmp_path)
    alternates = world.hub.path / "objects/info/alternates"
    alternates.write_text(f"{outside}/objects\n")
    again = hub_of(world.user)
    return settled(alternates.read_text() == f"{again.objects}\n")


@attack(row("a broken registration makes a stranger's state the user's", Severity.MEDIUM, Harm.CONSENT))
def test_broken_registration(tier: str, unpacked: Project) -> Outcome:
    del tier
    known = (unpacked.state / "project").read_text().strip()
    place = Path(environment()[STATE_HOME]) / "projects" / known
    kept = place.read_bytes()
    held = []
    for text in (b"", b"torn", b"\0\0\0\0", json.dumps({"path": str(unpacked.root)}).encode()):
        place.write_bytes(text)
        held.append(site_of(unpacked).standing is Standing.UNREGISTERED)
    place.write_bytes(kept)
    return settled(*held)


@attack(row("a file that a command writes is a link out of the repository", Severity.HIGH, Harm.WRITES))
def test_written_through_links(tier: str, tmp_path: Path, outside: Path) -> Outcome:
    project, before = new_project(tmp_path), content(outside)
    (project.root / "shiftwork.toml").unlink()
    (project.root / "shiftwork.toml").symlink_to(outside / "new.toml")
    (project.root / "prd.json").symlink_to(outside / "new.json")
    (project.root / "shiftwork").symlink_to(outside)
    words = (("init", "--no-check"), ("init", "--no-check", "--force"), ("init", "--prd"), ("workflow", "new", "own"))
    shown = [typed(project, tier, *one) for one in words]
    return settled(content(outside) == before, all(one.returncode == 64 for one in shown))
