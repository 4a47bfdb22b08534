"""Builds the package with uv_build, which has no hooks, and the web board if that is asked for.

An installation starts no npm by itself: a wheel has the board if the installer passes the setting `board=build`, or if
a board as new as its sources is there. A source distribution always has it. As a program, it builds only the board.
"""

import fcntl
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
WEB: Final = ROOT / "web"
BOARD: Final = ROOT / "src/shiftwork/board/index.html"
_SOURCES: Final = ("index.html", "package-lock.json", "vite.config.ts", "public/**/*", "src/**/*")
_UNUSED: Final = (".test.ts", ".d.ts")
"""Files that are only for tests and types: the board does not change with them."""
_OLDEST_NODE: Final = (20, 19)


def build_wheel(folder: str, settings: Any = None, metadata: str | None = None) -> str:
    if (settings or {}).get("board") == "build":
        ensure_board()
    else:
        leave_out_old_board()
    return str(_uv().build_wheel(folder, settings, metadata))


def build_sdist(folder: str, settings: Any = None) -> str:
    """With the board beside its sources, so that it can be installed without Node.js."""
    ensure_board()
    return str(_uv().build_sdist(folder, settings))


def build_editable(folder: str, settings: Any = None, metadata: str | None = None) -> str:
    """Without the board: `just web` builds it into the source folder, where it is found."""
    return str(_uv().build_editable(folder, settings, metadata))


def get_requires_for_build_wheel(settings: Any = None) -> list[str]:
    return list(_uv().get_requires_for_build_wheel(settings))


def get_requires_for_build_sdist(settings: Any = None) -> list[str]:
    return list(_uv().get_requires_for_build_sdist(settings))


def get_requires_for_build_editable(settings: Any = None) -> list[str]:
    return list(_uv().get_requires_for_build_editable(settings))


def prepare_metadata_for_build_wheel(folder: str, settings: Any = None) -> str:
    return str(_uv().prepare_metadata_for_build_wheel(folder, settings))


def prepare_metadata_for_build_editable(folder: str, settings: Any = None) -> str:
    return str(_uv().prepare_metadata_for_build_editable(folder, settings))


def ensure_board() -> None:
    """Several builds of one folder wait for each other: the first one builds the board for all."""
    with (WEB / "package.json").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if is_stale():
            _build()


def leave_out_old_board() -> None:
    """A board that is older than its sources may not fit to the API."""
    if is_stale():
        print("without the web board: the setting board=build builds it, with Node.js 20.19 or newer", file=sys.stderr)
        shutil.rmtree(BOARD.parent, ignore_errors=True)


def is_stale() -> bool:
    """Whether the board is missing, or a source of it is newer."""
    if not BOARD.is_file():
        return True
    if (WEB.parent / "PKG-INFO").is_file():  # a source distribution: times of unpacked files say nothing
        return False
    built = BOARD.stat().st_mtime
    return any(source.stat().st_mtime > built for source in sources())


def sources() -> Iterator[Path]:
    for pattern in _SOURCES:
        yield from (file for file in WEB.glob(pattern) if file.is_file() and not file.name.endswith(_UNUSED))


def _build() -> None:
    npm = shutil.which("npm")
    if npm is None or _node() < _OLDEST_NODE:
        print("without the web board: building it needs Node.js 20.19 or newer with npm", file=sys.stderr)
        shutil.rmtree(BOARD.parent, ignore_errors=True)  # an old one may not fit to the API
        return
    if not (WEB / "node_modules/vite").is_dir():
        subprocess.run([npm, "ci", "--no-fund", "--no-audit", "--loglevel=error"], cwd=WEB, check=True)
    subprocess.run([npm, "run", "--silent", "build"], cwd=WEB, check=True)


def _node() -> tuple[int, ...]:
    """Its version; empty if there is none."""
    node = shutil.which("node")
    found = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout if node else ""
    return tuple(int(number) for number in re.findall(r"\d+", found))


def _uv() -> Any:
    return import_module("uv_build")


if __name__ == "__main__":
    ensure_board()
