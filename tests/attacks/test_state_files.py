"""Attacks on the files that are read first, and on the databases, indexes and objects of the harness."""

import asyncio
import base64
import contextlib
import json
import os
import pickle
import shutil
from pathlib import Path

import psycopg

from shiftwork.adapters.engine.dbos import DbosEngine, DbosSettings
from shiftwork.config.project import Ownership
from shiftwork.config.site import STATE_HOME
from shiftwork.errors import ShiftworkError
from shiftwork.ports.engine import Job
from tests.attacks.state_rig import content, row, settled, site_of, typed
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.conformance.workspace.git.git_rig import GitRig, hub_of
from tests.e2e.cli_rig import Project, environment, new_project
from tests.patience import SECONDS

# The engine ---------------------------------------------------------------------------------------------------------


class Payload:
    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.canary}",)


JOB = Job(kind="run", stream="run/r")


def pickled(canary: Path) -> str:
    return base64.b64encode(pickle.dumps(Payload(canary))).decode()


def plant(url: str, folder: Path, change: str) -> None:
    """An engine dies, and a row of its jobs says that it is pickled."""

    async def dies() -> None:
        async def body(_: Job) -> bool:
            await asyncio.sleep(60)
            return True

        engine = await DbosEngine.open(settings(url, "dead"), {"run": body})
        await engine.start(JOB)
        await engine.close()

    asyncio.run(dies())
    with psycopg.connect(url) as database:
        for statement in ("UPDATE dbos.workflow_status SET serialization = 'py_pickle'", change):
            changed = database.execute(statement.encode(), {"pickled": pickled(folder / "canary")})
            assert changed.rowcount == 1


def settings(url: str, executor: str) -> DbosSettings:
    return DbosSettings(name="shiftwork", url=url, executor=executor, version="1")


async def recovered(url: str) -> list[Job]:
    """The jobs that run after a living engine has recovered those of the dead one."""
    runs: list[Job] = []

    async def body(job: Job) -> bool:
        runs.append(job)
        return True

    engine = await DbosEngine.open(settings(url, "living"), {"run": body})
    try:
        await engine.recover("dead")
        await asyncio.wait_for(engine.join(JOB), timeout=SECONDS)
    finally:
        await engine.close()
    return runs


@attack(row("a row of the engine's database says that its input is pickled", Severity.CRITICAL, Harm.EXECUTION, seen=3))
def test_pickled_input(tmp_path: Path, postgres_url: str) -> Outcome:
    plant(postgres_url, tmp_path, "UPDATE dbos.workflow_input SET inputs = %(pickled)s")
    runs = asyncio.run(recovered(postgres_url))
    return settled(not (tmp_path / "canary").exists(), not runs)


@attack(row("a job that has ended left a pickled error", Severity.CRITICAL, Harm.EXECUTION))
def test_pickled_error(tmp_path: Path, postgres_url: str) -> Outcome:
    plant(postgres_url, tmp_path, "UPDATE dbos.workflow_status SET status = 'ERROR', error = %(pickled)s")
    asyncio.run(recovered(postgres_url))
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
    return settled(all(secret not in completed.stdout + completed.stderr for completed in shown))


@attack(row("a number in the git directory sends the reader of a worktree to a pipe", Severity.LOW, Harm.DENIAL))
def test_pipe_in_the_git_directory(tier: str, tmp_path: Path) -> Outcome:
    project = new_project(tmp_path)
    os.mkfifo(project.root / ".git/commondir")
    ended = typed(project, tier, "status")
    return settled(ended.returncode == 64, "it is not a regular file" in ended.stderr)


@attack(row("an index of the hub is a link to a file of the user's", Severity.MEDIUM, Harm.WRITES))
def test_linked_index(tmp_path: Path, outside: Path) -> Outcome:
    rig, before = GitRig(tmp_path), content(outside)
    indexes = rig.user.state / "indexes"
    shutil.rmtree(indexes, ignore_errors=True)
    indexes.symlink_to(outside)
    with contextlib.suppress(ShiftworkError):
        rig.story({"x": "x\n"})
    return settled(content(outside) == before)


@attack(row("the hub borrows objects that somebody else can change", Severity.HIGH, Harm.PROOF))
def test_planted_alternates(tmp_path: Path, outside: Path) -> Outcome:
    rig = GitRig(tmp_path)
    alternates = rig.hub.path / "objects/info/alternates"
    alternates.write_text(f"{outside}/objects\n")
    again = hub_of(rig.user)
    return settled(alternates.read_text() == f"{again.objects}\n")


@attack(row("a broken registration makes a stranger's state the user's", Severity.MEDIUM, Harm.CONSENT))
def test_broken_registration(unpacked: Project) -> Outcome:
    known = (unpacked.state / "project").read_text().strip()
    place = Path(environment()[STATE_HOME]) / "projects" / known
    kept = place.read_bytes()
    held = []
    for text in (b"", b"torn", b"\0\0\0\0", json.dumps({"path": str(unpacked.root)}).encode()):
        place.write_bytes(text)
        held.append(site_of(unpacked).ownership is Ownership.UNREGISTERED)
    place.write_bytes(kept)
    return settled(*held)


@attack(row("a file that a command writes is a link out of the repository", Severity.HIGH, Harm.WRITES))
def test_written_through_links(tier: str, tmp_path: Path, outside: Path) -> Outcome:
    project, before = new_project(tmp_path), content(outside)
    (project.root / "shiftwork.toml").unlink()
    (project.root / "shiftwork.toml").symlink_to(outside / "new.toml")
    (project.root / "prd.json").symlink_to(outside / "new.json")
    (project.root / "shiftwork").symlink_to(outside)
    commands = (
        ("init", "--no-check"),
        ("init", "--no-check", "--force"),
        ("init", "--prd"),
        ("workflow", "new", "own"),
    )
    shown = [typed(project, tier, *words) for words in commands]
    return settled(content(outside) == before, all(completed.returncode == 64 for completed in shown))
