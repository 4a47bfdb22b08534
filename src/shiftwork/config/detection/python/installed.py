"""What is installed in the user's Python environments: found by reading files, without starting a program."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from shiftwork.config.detection.folder import Folder

_OWN: Final = (".venv", "venv", "env")
_LIBRARIES: Final = ("lib/python3*/site-packages", "lib/python3*/dist-packages", "lib/python3/dist-packages")


def in_environment(folder: Folder, module: str) -> bool:
    """Whether the project's own environment, active or not, has the module."""
    return any(_holds(prefix, module) for prefix in _environments(folder))


def on_this_machine(folder: Folder, module: str) -> bool:
    """Whether the interpreter that runs the project has the module if no environment is made for it."""
    environments = list(_environments(folder))
    return any(_holds(prefix, module) for prefix in environments or _system(folder))


def _environments(folder: Folder) -> Iterator[Path]:
    active = folder.env.get("VIRTUAL_ENV", "")
    if active:
        yield Path(active)
    yield from (folder.path / name for name in _OWN if folder.has(f"{name}/pyvenv.cfg"))


def _system(folder: Folder) -> Iterator[Path]:
    program = shutil.which("python3", path=folder.env.get("PATH", ""))
    if program:
        yield from dict.fromkeys((Path(program).parent.parent, Path(os.path.realpath(program)).parent.parent))


def _holds(prefix: Path, module: str) -> bool:
    try:
        libraries = [library for pattern in _LIBRARIES for library in prefix.glob(pattern)]
        return any((library / module).is_dir() or (library / f"{module}.py").is_file() for library in libraries)
    except (OSError, ValueError):
        return False
