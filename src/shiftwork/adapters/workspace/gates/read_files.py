"""Which files of a tree programs open while a gate runs: asked of the kernel, so it holds for every language.

inotify reports opens in the watched folders, also by programs in a sandbox, which see the same folders at another path.
Other systems than Linux have no such call; there, and where events were lost, nothing is known.

A file is not opened if a program uses what it has kept of it. Most programs compare the times of files: for them the
sources are made newer. Python compares whole seconds, or nothing, so its compiled files are removed; Go compares
contents, so it is asked to run tests again.
"""

import asyncio
import contextlib
import ctypes
import os
import struct
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git.index_file import Tracked
from shiftwork.adapters.workspace.tree.untrusted_files import erase
from shiftwork.domain.text.file_types import is_source
from shiftwork.records import dataclass, field

FOLDERS: Final = 8000
"""The kernel limits how many folders one user may watch; a larger tree is not measured."""

_OPEN: Final = 0x20
_FOLDER_ONLY: Final = 0x01000000
_OVERFLOW: Final = 0x4000
_EVENT: Final = struct.Struct("iIII")
_BYTES: Final = 1024 * 1024
_COMPILED: Final = "__pycache__"


@dataclass(slots=True, kw_only=True)
class OpenedFiles:
    """`lost` is set where not every open is known."""

    found: set[str] = field(default_factory=set)
    lost: bool = False

    def listed(self, tracked: Collection[str]) -> frozenset[str] | None:
        """Those of the tracked files that were opened; None where that is not known."""
        return None if self.lost else frozenset(self.found.intersection(tracked))


@contextlib.contextmanager
def watch_opened(tree: Path, folders: Collection[str]) -> Iterator[OpenedFiles]:
    """What is opened in these folders of the tree meanwhile, and not in the folders below them."""
    opened = OpenedFiles()
    descriptor = _start_watching() if len(folders) <= FOLDERS else -1
    if descriptor < 0:
        opened.lost = True
        yield opened
        return
    loop = asyncio.get_running_loop()
    try:
        watched = _watch_folders(descriptor, tree, folders)
        opened.lost = watched is None
        names = watched or {}
        loop.add_reader(descriptor, _take_events, descriptor, names, opened)
        yield opened
        _take_events(descriptor, names, opened)
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def expire_caches(tree: Path, tracked: Tracked) -> None:
    """Makes programs open the sources of a commit again, although an earlier gate has compiled them."""
    for folder in {"", *tracked.folders}:
        compiled = f"{folder}/{_COMPILED}" if folder else _COMPILED
        if compiled not in tracked.folders:
            erase(tree / compiled)
    now = time.time_ns()
    for path in filter(is_source, tracked.files):
        with contextlib.suppress(OSError):
            os.utime(tree / path, ns=(now, now), follow_symlinks=False)


def without_caches(env: Mapping[str, str]) -> dict[str, str]:
    """Variables for programs that keep results elsewhere than in the tree, by the whole environment that they have."""
    return {"GOFLAGS": f"{env.get('GOFLAGS', '')} -count=1".strip(), "PYTHONPYCACHEPREFIX": ""}


def _start_watching() -> int:
    try:
        return int(ctypes.CDLL(None, use_errno=True).inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
    except (AttributeError, OSError):
        return -1


def _watch_folders(descriptor: int, tree: Path, folders: Collection[str]) -> dict[int, str] | None:
    """The folders by the number of their watch; None if one cannot be watched."""
    library = ctypes.CDLL(None, use_errno=True)
    watched: dict[int, str] = {}
    for folder in {"", *folders}:
        number = library.inotify_add_watch(descriptor, os.fsencode(tree / folder), _OPEN | _FOLDER_ONLY)
        if number < 0:
            return None
        watched[number] = f"{folder}/" if folder else ""
    return watched


def _take_events(descriptor: int, folders: dict[int, str], opened: OpenedFiles) -> None:
    with contextlib.suppress(BlockingIOError):
        while content := os.read(descriptor, _BYTES):
            place = 0
            while place < len(content):
                number, mask, _, length = _EVENT.unpack_from(content, place)
                place += _EVENT.size
                name = content[place : place + length].rstrip(b"\0")
                place += length
                opened.lost |= bool(mask & _OVERFLOW)
                if number in folders and name:
                    opened.found.add(folders[number] + os.fsdecode(name))
