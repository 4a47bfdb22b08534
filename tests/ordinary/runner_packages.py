"""Real test runners of Python and JavaScript, installed on first use and kept for the next time."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.ordinary.user import CACHE
from tests.patience import SECONDS

_PYTHON: Final = ("pytest==8.4.2", "pytest-cov==6.3.0", "coverage==7.10.7")
_NODE: Final = {
    "jest": "29.7.0",
    "vitest": "2.1.9",
    "@vitest/coverage-v8": "2.1.9",
    "nyc": "17.1.0",
    "c8": "10.1.3",
    "mocha": "11.7.4",
}
_OVERRIDES: Final = {"rollup": "4.65.0"}
"""Not every registry has all of a later one's parts."""


def python_environment() -> dict[str, str]:
    """Variables with which pytest and coverage are found."""
    uv = shutil.which("uv") or "uv"
    folder = _install(
        "coverage-python",
        [uv, "venv", "-q", "--clear", "venv"],
        [uv, "pip", "install", "-q", "-p", "venv", *_PYTHON],
    )
    return {**_inherited(), "PATH": f"{folder}/venv/bin:{os.defpath}"}


def node_environment(tree: Path) -> dict[str, str]:
    """The same for the runners of JavaScript, which are put into the tree."""
    manifest = json.dumps({"private": True, "dependencies": _NODE, "overrides": _OVERRIDES})
    write_manifest = [sys.executable, "-c", f"open('package.json', 'w').write({manifest!r})"]
    folder = _install("coverage-node", write_manifest, ["npm", "install", "--silent", "--no-audit"])
    (tree / "node_modules").symlink_to(folder / "node_modules")
    return _inherited()


def _install(name: str, *commands: list[str]) -> Path:
    """The folder that the commands fill."""
    folder = CACHE / name
    folder.mkdir(parents=True, exist_ok=True)
    mark, installed = folder / "installed", json.dumps(commands)
    with (CACHE / f"{name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not mark.exists() or mark.read_text(encoding="utf-8") != installed:
            for command in commands:
                subprocess.run(command, cwd=folder, check=True, timeout=SECONDS)
            mark.write_text(installed, encoding="utf-8")
    return folder


def _inherited() -> dict[str, str]:
    """The home says how package registries are reached."""
    return {name: os.environ[name] for name in ("HOME", "PATH")} | {"CI": "1"}  # noqa: TID251 - a test's own
