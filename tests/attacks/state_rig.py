"""What attacks on the harness's own files share: a folder from an attacker's archive, and what must not change."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from shiftwork.config.site import STATE_HOME, Site, find_site
from tests import warm
from tests.attacks.table import Attack, Harm, Outcome, Severity
from tests.e2e.cli_rig import Project, environment, git, new_project
from tests.tier import TIER_VARIABLE

TITLE = "Planted by somebody else"
SOON = 20.0
"""Seconds. What takes longer hangs."""


def row(name: str, severity: Severity, harm: Harm, seen: int | None = None) -> Attack:
    return Attack(name=name, layer="state", severity=severity, harm=harm, seen=seen)


def settled(*held: bool) -> Outcome:
    return Outcome.PREVENTED if all(held) else Outcome.SUCCEEDED


def typed(
    project: Project, tier: str, *words: str, trusted: bool = True, **more: str
) -> subprocess.CompletedProcess[str]:
    env = project.environment(**{TIER_VARIABLE: tier}, **({} if trusted else {"SHIFTWORK_TRUST": ""}), **more)
    return warm.run(words, cwd=project.root, env=env, timeout=SOON)


def site_of(project: Project) -> Site:
    return find_site(project.root, {STATE_HOME: environment()[STATE_HOME]})


def content(folder: Path) -> str:
    """All files there, as one digest."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(bytes(path.relative_to(folder)))
        digest.update(str(path.lstat().st_mode).encode())
        digest.update(path.read_bytes() if path.is_file() and not path.is_symlink() else b"")
    return digest.hexdigest()


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as an attacker has packed it: with the state of a run, and a filter in the hub."""
    project = new_project(tmp_path_factory.mktemp("packed"))
    ended = project.shiftwork("run", TITLE, "--workflow", "ralph")
    assert ended.returncode == 0, ended
    assert TITLE in project.shiftwork("status", "--all").stdout
    return project.root


@pytest.fixture
def unpacked(packed: Path, tmp_path: Path) -> Project:
    """The same in a folder that the user owns and has never worked in."""
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
