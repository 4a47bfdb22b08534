"""Shiftwork as a user installs it: the built wheel in an environment of its own, with the extras that a test names."""

import fcntl
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.cli_rig import Project
from tests.patience import LONG_SECONDS, SECONDS

ROOT = Path(__file__).parents[2]
_CI = os.environ.get("CI", "") == "true"  # noqa: TID251 - a test's own


@dataclass(frozen=True, kw_only=True)
class Installed:
    """An environment with the wheel and what the wheel needs."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin/python"

    def packages(self) -> set[str]:
        code = "import importlib.metadata as m; print(*sorted({d.name.lower() for d in m.distributions()}))"
        return set(self.says(code).split())

    def says(self, code: str, *words: str) -> str:
        done = subprocess.run(
            [self.python, "-I", "-c", code, *words], capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def shiftwork(self, project: Project, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """The installed command in a project; it sees no other code of the product."""
        inherited = {name: value for name, value in project.environment(**env).items() if name != "PYTHONPATH"}
        return subprocess.run(
            [self.folder / "bin/shiftwork", *words],
            cwd=project.root,
            env=inherited,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )


def uv() -> str:
    """The program; without it tests are skipped, but not in CI."""
    found = shutil.which("uv") or shutil.which(ROOT / ".cache/tools/bin/uv")
    if found is None and not _CI:
        pytest.skip("uv is not installed: source scripts/env.sh")
    return found or "uv"


def installed_once(base: Path) -> Installed:
    """The wheel without extras, installed by the first process that asks and used by all that have the same folder."""
    folder = base / "bare"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ready = folder / "ready"
        if not ready.exists():
            shutil.rmtree(folder / "environment", ignore_errors=True)
            install(folder)
            ready.touch()
    return Installed(folder=folder / "environment")


def install(folder: Path, *extras: str) -> Installed:
    """Builds the wheel from the working tree and installs it."""
    target = folder / "environment"
    _uv("build", "--wheel", "--out-dir", str(folder), str(ROOT))
    _uv("venv", "--python", str(Path(sys.base_prefix) / "bin/python3"), str(target))
    wheel = next(folder.glob("shiftwork-*.whl"))
    named = f"{wheel}[{','.join(extras)}]" if extras else str(wheel)
    _uv("pip", "install", "--compile-bytecode", "--python", str(target / "bin/python"), named)
    return Installed(folder=target)


def _uv(*words: str) -> None:
    done = subprocess.run([uv(), *words], capture_output=True, text=True, timeout=LONG_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
