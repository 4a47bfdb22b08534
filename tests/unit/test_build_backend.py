"""What a build of the package does about the web board."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with the build backend and the beginning of a board."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "web").mkdir()
    (tmp_path / "web/package.json").write_text("{}")
    (tmp_path / "web/index.html").write_text("<!doctype html>")
    return tmp_path


def built(clone: Path, *tools: tuple[str, str], code: str = "ensure_board()") -> str:
    """What is printed while the board is built with only these programs on the path."""
    programs = clone / "bin"
    programs.mkdir(exist_ok=True)
    for name, script in tools:
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    env = {"PATH": str(programs)}
    words = [sys.executable, "-S", "-c", f"import build_backend; build_backend.{code}"]
    done = subprocess.run(words, cwd=clone / "scripts", env=env, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


NPM = ("npm", 'echo "npm $*"')
MISSING = "without the web board: building it needs Node.js 20.19 or newer with npm\n"


@pytest.mark.parametrize("tools", [(), (("node", "echo v18.19.0"), NPM)])
def test_without_a_new_node_the_package_has_no_board(clone: Path, tools: tuple[tuple[str, str], ...]) -> None:
    old = clone / "src/shiftwork/board/index.html"
    old.parent.mkdir(parents=True)
    old.touch()
    os.utime(old, (1, 1))
    assert built(clone, *tools) == MISSING
    assert not old.exists(), "an old board may not fit to the API"


def test_a_new_node_builds_a_board_that_is_missing(clone: Path) -> None:
    said = built(clone, ("node", "echo v22.12.0"), NPM)
    assert said.splitlines() == ["npm ci --no-fund --no-audit --loglevel=error", "npm run --silent build"]


def test_an_installation_builds_no_board_that_was_not_asked_for(clone: Path) -> None:
    old = clone / "src/shiftwork/board/index.html"
    old.parent.mkdir(parents=True)
    old.touch()
    os.utime(old, (1, 1))
    uv = "_uv = lambda: __import__('types').SimpleNamespace(build_wheel=lambda *_: '')"
    said = built(clone, ("node", "echo v22.12.0"), NPM, code=f"{uv}; build_backend.build_wheel('')")
    assert said == "without the web board: the setting board=build builds it, with Node.js 20.19 or newer\n"
    assert not old.exists(), "an old board may not fit to the API"
    said = built(
        clone, ("node", "echo v22.12.0"), NPM, code=f"{uv}; build_backend.build_wheel('', {{'board': 'build'}})"
    )
    assert said.splitlines() == ["npm ci --no-fund --no-audit --loglevel=error", "npm run --silent build"]


def test_a_source_distribution_has_a_board_that_is_used_as_it_is(clone: Path) -> None:
    board = clone / "src/shiftwork/board/index.html"
    board.parent.mkdir(parents=True)
    board.touch()
    os.utime(board, (1, 1))
    (clone / "PKG-INFO").touch()
    assert built(clone) == ""
    assert board.exists()
