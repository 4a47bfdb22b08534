"""Cleans search paths: never the working directory, and for the harness's own tools no folder that an agent can write
to.

An empty or relative element of a search path means the current working directory of the calling process, which is
sooner or later an agent's tree.
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
"""Lists of folders separated by colons."""

_LIBRARIES: Final = frozenset({"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"})
"""Lists of libraries: a name without a slash is searched for in the usual folders."""

_OF_THE_PROCESS: Final = ("/proc/self/", "/proc/thread-self/", "/dev/fd/")
"""Paths that look absolute but mean a different folder in each process."""


def without_relative(env: Mapping[str, str]) -> dict[str, str]:
    """The environment without relative and empty elements of search paths; a list that becomes empty is removed."""
    return _sifted(env, _is_absolute)


def relative_elements(env: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """What `without_relative` leaves out, by variable."""
    lists = {name: tuple(_elements(name, env[name])) for name in sorted(_FOLDERS | _LIBRARIES) if env.get(name)}
    dropped = {
        name: tuple(part for part in parts if not _kept(name, part, _is_absolute)) for name, parts in lists.items()
    }
    return {name: parts for name, parts in dropped.items() if parts}


def without_folders(env: Mapping[str, str], apart: Iterable[Path]) -> dict[str, str]:
    """The same, also without elements inside these folders and without world-writable folders: for the harness's own
    tools.
    """
    closed = tuple(os.path.realpath(folder) for folder in apart)

    def stays(element: str) -> bool:
        real = os.path.realpath(element)
        return _is_absolute(element) and not _is_inside(real, closed) and not _is_open(real)

    return _sifted(env, stays)


def tool(name: str, env: Mapping[str, str], apart: Iterable[Path] = ()) -> str:
    """The absolute path of one of the harness's own programs, cached; empty if it is not installed."""
    return _found(name, env.get("PATH", ""), tuple(os.path.realpath(folder) for folder in apart))


@lru_cache(maxsize=64)
def _found(name: str, path: str, closed: tuple[str, ...]) -> str:
    import shutil  # noqa: PLC0415 - not needed by commands that run no program

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
    """Whether every user of the machine can put a program there."""
    try:
        return bool(os.stat(folder).st_mode & stat.S_IWOTH)  # noqa: PTH116 - strings are faster
    except OSError:
        return False
