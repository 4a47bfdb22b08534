"""Where programs and libraries are searched for: never in the working directory, and the harness's own tools never in a
folder that an agent can write to.

An element of such a list that is empty or relative means the working directory of whoever starts a program. That is an
agent's tree, sooner or later.
"""

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

_FOLDERS: Final = frozenset(
    {
        "PATH",
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
        "DYLD_FRAMEWORK_PATH",
        "DYLD_FALLBACK_LIBRARY_PATH",
        "DYLD_FALLBACK_FRAMEWORK_PATH",
        "LIBRARY_PATH",
        "CPATH",
        "C_INCLUDE_PATH",
        "CPLUS_INCLUDE_PATH",
        "PKG_CONFIG_PATH",
        "PYTHONPATH",
        "NODE_PATH",
        "PERL5LIB",
        "PERLLIB",
        "RUBYLIB",
        "GEM_PATH",
        "CLASSPATH",
        "GOPATH",
        "MANPATH",
        "INFOPATH",
        "CDPATH",
        "GCONV_PATH",
        "LOCPATH",
        "TERMINFO_DIRS",
        "XDG_CONFIG_DIRS",
        "XDG_DATA_DIRS",
        "GIT_EXEC_PATH",
        "GIT_TEMPLATE_DIR",
    }
)
"""Lists of folders, one after the other with a colon between."""

_LIBRARIES: Final = frozenset({"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"})
"""Lists of libraries: one without a slash is searched for in the usual folders."""

_OF_THE_PROCESS: Final = ("/proc/self/", "/proc/thread-self/", "/dev/fd/")
"""Absolute by its looks, and another folder for each process."""


def without_relative(env: Mapping[str, str]) -> dict[str, str]:
    """The environment without relative and empty elements of search paths; a list of which nothing is left is gone."""
    return _sifted(env, _is_absolute)


def relative_elements(env: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """What `without_relative` leaves out, by variable."""
    lists = {name: tuple(_elements(name, env[name])) for name in sorted(_FOLDERS | _LIBRARIES) if env.get(name)}
    dropped = {name: tuple(one for one in parts if not _kept(name, one, _is_absolute)) for name, parts in lists.items()}
    return {name: parts for name, parts in dropped.items() if parts}


def without_folders(env: Mapping[str, str], apart: Iterable[Path]) -> dict[str, str]:
    """The same, also without what lies in one of these folders, and without folders that everybody may write to: for
    the harness's own tools.
    """
    closed = tuple(os.path.realpath(folder) for folder in apart)

    def stays(element: str) -> bool:
        real = os.path.realpath(element)
        return _is_absolute(element) and not _is_inside(real, closed) and not _is_open(real)

    return _sifted(env, stays)


def tool(name: str, env: Mapping[str, str], apart: Iterable[Path] = ()) -> str:
    """The absolute path of a program of the harness's own, found once; empty where there is none."""
    return _found(name, env.get("PATH", ""), tuple(os.path.realpath(folder) for folder in apart))


@lru_cache(maxsize=64)
def _found(name: str, path: str, closed: tuple[str, ...]) -> str:
    import shutil  # noqa: PLC0415 - commands that run no program of ours do without it

    folders = without_folders({"PATH": path}, map(Path, closed)).get("PATH", os.defpath)
    for folder in folders.split(os.pathsep):
        found = shutil.which(name, path=folder)
        if found and not _is_inside(os.path.realpath(found), closed):
            return found
    return ""


def _sifted(env: Mapping[str, str], stays: Callable[[str], bool]) -> dict[str, str]:
    kept = dict(env)
    for name in _FOLDERS | _LIBRARIES:
        if name in kept:
            parts = [part for part in _elements(name, kept[name]) if _kept(name, part, stays)]
            if parts:
                kept[name] = os.pathsep.join(parts)
            else:
                del kept[name]
    return kept


def _elements(name: str, value: str) -> list[str]:
    return value.replace(" ", os.pathsep).split(os.pathsep) if name in _LIBRARIES else value.split(os.pathsep)


def _kept(name: str, element: str, stays: Callable[[str], bool]) -> bool:
    by_name = name in _LIBRARIES and bool(element) and "/" not in element
    return by_name or stays(element)


def _is_absolute(element: str) -> bool:
    return element.startswith("/") and not f"{os.path.normpath(element)}/".startswith(_OF_THE_PROCESS)


def _is_inside(real: str, folders: Iterable[str]) -> bool:
    return any(real == folder or real.startswith(f"{folder.rstrip('/')}/") for folder in folders)


def _is_open(folder: str) -> bool:
    """Whether every user of the machine may put a program there."""
    try:
        return bool(os.stat(folder).st_mode & stat.S_IWOTH)  # noqa: PTH116 - plain text is quicker
    except OSError:
        return False
