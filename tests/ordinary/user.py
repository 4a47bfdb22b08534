"""The user of an ordinary repository: the programs they have, their environment, and the commands they type."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests import warm
from tests.ordinary.row import Row
from tests.patience import LONG_SECONDS, SECONDS
from tests.tier import TIER_VARIABLE, USUAL_TIER

ROOT: Final = Path(__file__).parents[2]
CACHE: Final = ROOT / ".cache" / "ordinary"
"""Programs that rows need, and what their package managers download: kept for the next time."""


_FROM_NPM: Final = {"pnpm": "pnpm@10"}

_SHARED_CACHES: Final = ("go-build", "pip", "pnpm", "uv")

_OURS: Final = ("SHIFTWORK_", "UV_", "PYTHON", "PYTEST_", "VIRTUAL_ENV", "COVERAGE", "npm_", "NODE_PATH", "GIT_")


@dataclass(frozen=True, kw_only=True)
class User:
    """A user with a checkout at `root`, the working folder; `private` is the folder for this row's own files."""

    root: Path
    private: Path
    row: Row

    def types(self, command: str, *, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """A line at their prompt; what it prints comes in the order in which it was printed."""
        return subprocess.run(
            ["sh", "-c", command],
            cwd=self.root,
            env=self.environment() if env is None else env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def prepares(self, command: str) -> None:
        """What the table is not about: `uv` does it here, because it is quick, whether the user has it or not."""
        env = self.environment()
        env["PATH"] = f"{env['PATH']}:{_uv().parent}"
        done = self.types(command, env=env)
        if done.returncode != 0:
            raise RuntimeError(f"{self.row.name}: {command} ended with {done.returncode}\n{done.stdout}")

    def shiftwork(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return warm.run(words, cwd=self.root, env=self.environment() | env, timeout=LONG_SECONDS)

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words],
            cwd=self.root,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=True,
        )
        return done.stdout.strip()

    def environment(self) -> dict[str, str]:
        """Theirs, without what belongs to the tests of this project; a virtual environment is active as usual.

        The home is the real one: its settings say how package registries are reached.
        """
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}  # noqa: TID251 - a test's own
        venv = self.root / ".venv"
        active = [str(venv / "bin")] if self.row.active else []
        found = [part for part in inherited.get("PATH", os.defpath).split(":") if not Path(part).is_relative_to(ROOT)]
        return {
            **inherited,
            **({"VIRTUAL_ENV": str(venv)} if self.row.active else {}),
            "PATH": ":".join([*active, str(self._programs()), *found]),
            "XDG_CACHE_HOME": str(self._caches()),
            "XDG_DATA_HOME": str(CACHE / "data"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "SHIFTWORK_AGENT": "command",
            "SHIFTWORK_CACHE_HOME": str(self.private / "cache"),
            "SHIFTWORK_CONFIG_HOME": str(self.private / "config"),
            "SHIFTWORK_STATE_HOME": str(self.private / "state"),
            "SHIFTWORK_TRUST": "1",
            TIER_VARIABLE: USUAL_TIER,
        }

    def _caches(self) -> Path:
        """All rows share downloads; what else programs keep there is the row's own, such as poetry's environments."""
        folder = self.private / "caches"
        if not folder.exists():
            folder.mkdir(parents=True)
            for name in _SHARED_CACHES:
                (CACHE / "downloads" / name).mkdir(parents=True, exist_ok=True)
                (folder / name).symlink_to(CACHE / "downloads" / name)
        return folder

    def _programs(self) -> Path:
        """A folder with Python, and beside it nothing but the programs that this row needs."""
        folder = self.private / "bin"
        if not folder.exists():
            folder.mkdir(parents=True)
            for name in ("python", "python3"):
                _write_program(folder / name, f'#!/bin/sh\nexec "{_python()}" "$@"\n')
            for name in self.row.programs:
                (folder / name).symlink_to(_program(name))
        return folder


def install_compilers(rows: Sequence[Row]) -> None:
    """From Debian, what these rows need and this machine does not have."""
    needed = {program for row in rows for program in row.debian}
    subprocess.run([ROOT / "scripts/install_missing.sh", *sorted(needed)], check=True)


def _python() -> str:
    """The interpreter that the project's own environment was made from: nothing of ours is installed in it."""
    return str(Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}")


def _uv() -> Path:
    found = shutil.which("uv")
    assert found, "uv is not there: source scripts/env.sh"
    return Path(found)


def _program(name: str) -> Path:
    """Installed on first use, where no row sees it but those that name it."""
    if name == "uv":
        return _uv()
    program = CACHE / name / "bin" / name
    with _alone(name):
        if program.exists():
            return program
        if name in _FROM_NPM:
            commands: list[list[str | Path]] = [
                ["npm", "install", "--global", "--silent", "--prefix", CACHE / name, _FROM_NPM[name]]
            ]
        else:
            uv, venv = _uv(), CACHE / name
            commands = [[uv, "venv", "-q", "--clear", venv], [uv, "pip", "install", "-q", "-p", venv, name]]
        for command in commands:
            subprocess.run(command, check=True, timeout=SECONDS)
    return program


@contextlib.contextmanager
def _alone(name: str) -> Iterator[None]:
    """Two test processes do not install the same program at once."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _write_program(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
