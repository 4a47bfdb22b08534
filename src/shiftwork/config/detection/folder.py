"""A project folder, read leniently: a missing, broken or unreadable file counts as empty."""

import configparser
import json
import os
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from shiftwork.bounded import read_head
from shiftwork.records import dataclass, field
from shiftwork.regexes import regex

_FILE_BYTES: Final = 1024 * 1024
_ENTRIES: Final = 5000
"""The maximum number of entries listed in a tree, so that detection stays quick in any repository."""

NOT_SOURCES: Final = frozenset(
    {"node_modules", "venv", "env", "virtualenv", "vendor", "third_party", "build", "dist", "target", "site-packages"}
)
"""Folders with third-party or generated files."""

_PLAIN_NAME: Final = regex(r"[A-Za-z0-9_][\w.-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """`place` is its path below the root of the repository, empty for the root; `env` is the user's environment."""

    path: Path
    place: str = ""
    env: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        try:
            return read_head(self.path / name, _FILE_BYTES).decode(errors="replace")
        except (OSError, ValueError):
            return ""

    def has(self, *names: str) -> bool:
        return bool(self.first(*names))

    def first(self, *names: str) -> str:
        """The first of these files that exists; empty if none does."""
        return next((name for name in names if _is_file(self.path / name)), "")

    def has_folder(self, name: str) -> bool:
        try:
            return (self.path / name).is_dir()
        except (OSError, ValueError):
            return False

    def runs(self, name: str) -> str:
        """How to start a script of the project: by its path, or with the shell if it is not executable."""
        return f"./{name}" if os.access(self.path / name, os.X_OK) else f"sh {name}"

    def toml(self, name: str) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text(name))
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}

    def json(self, name: str) -> dict[str, Any]:
        try:
            value = json.loads(self.text(name) or "{}")
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    def ini(self, name: str) -> dict[str, dict[str, str]]:
        """The sections of a file such as setup.cfg, with their raw values."""
        parser = configparser.ConfigParser(interpolation=None, strict=False, default_section="")
        try:
            parser.read_string(self.text(name))
        except (configparser.Error, ValueError):
            return {}
        return {section: dict(parser[section]) for section in parser.sections()}

    def program(self, name: str) -> bool:
        """Whether the program is on the PATH outside the user's virtual environment, which gates do not have."""
        active = self.env.get("VIRTUAL_ENV", "")
        folders = [part for part in self.env.get("PATH", "").split(os.pathsep) if part]
        outside = [folder for folder in folders if not active or not Path(folder).is_relative_to(active)]
        return bool(outside) and shutil.which(name, path=os.pathsep.join(outside)) is not None

    def below(self, name: str) -> "Folder":
        return Folder(path=self.path / name, place=f"{self.place}/{name}".lstrip("/"), env=self.env)

    def names(self) -> list[str]:
        """The names of all files and folders in it."""
        return [entry.name for entry in _listed(self.path)]

    def folders(self) -> list[str]:
        """The subfolders that may contain a project and whose names need no quotes, sorted."""
        names = (entry.name for entry in _listed(self.path) if _is_folder(entry))
        return sorted(name for name in names if _PLAIN_NAME.fullmatch(name) and name not in NOT_SOURCES)

    def files(self, pattern: str, *, depth: int = 0, stop: tuple[str, ...] = ()) -> Iterator[str]:
        """Paths of files whose name matches, up to `depth` folders down, without hidden folders and folders that
        contain a file in `stop`.
        """
        matches = re.compile(pattern)
        left = _ENTRIES
        waiting = [""]
        while waiting and left > 0:
            place = waiting.pop(0)
            for entry in sorted(_listed(self.path / place), key=lambda dir_entry: dir_entry.name):
                left -= 1
                path = f"{place}{entry.name}"
                if _is_folder(entry):
                    if path.count("/") < depth and self._is_own(entry.name, path, stop):
                        waiting.append(f"{path}/")
                elif matches.fullmatch(entry.name):
                    yield path

    def _is_own(self, name: str, path: str, stop: tuple[str, ...]) -> bool:
        return (
            not name.startswith(".") and name not in NOT_SOURCES and not self.has(*(f"{path}/{item}" for item in stop))
        )


def table(value: Any, *path: str) -> dict[str, Any]:
    """The table at that path of a document, or an empty table."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def strings(value: Any) -> tuple[str, ...]:
    """The strings of a list; everything else is left out."""
    return tuple(name for name in value if isinstance(name, str)) if isinstance(value, list) else ()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _listed(path: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            return [entry for entry, _ in zip(entries, range(_ENTRIES), strict=False)]
    except (OSError, ValueError):
        return []
