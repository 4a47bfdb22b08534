"""Which files of a commit were written while a gate ran, even if their content is the same again afterwards.

Compares the time of a file's last status change, which no program can set, and the identity of files and folders, so
that a replaced file counts as written. A folder that is moved away and back is not noticed.

In-memory file systems (tmpfs) do not update that time when a program writes through a mapping. There the content of
every file is compared instead, and a file that was changed and changed back during the gate is not noticed.
"""

import hashlib
import mmap
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git.index_file import Statuses

type Stamp = tuple[int | bytes, ...]

_CLOCK_STEP_SECONDS: Final = 0.012
"""The clock of file systems advances within this time, on a kernel with 100 timer interrupts a second."""


def stamps(tree: str, files: Statuses, folders: Statuses, *, contents: bool = False) -> Mapping[str, Stamp]:
    """Stamps of all files of the commit and of their folders, with or without the `contents` of the files."""
    return dict(_stamps(tree, files, folders, contents=contents))


def _stamps(tree: str, files: Statuses, folders: Statuses, *, contents: bool) -> Iterator[tuple[str, Stamp]]:
    # Plain strings, not Path objects: there may be thousands of files, and every gate waits for this.
    for path, status in files.items():
        if status is None:
            yield path, ()
            continue
        content = _digest(f"{tree}/{path}") if contents else b""
        yield path, (status.st_ino, status.st_ctime_ns, status.st_size, status.st_mode, content)
    for path, status in folders.items():
        yield path, (status.st_ino,) if status else ()


def written(before: Mapping[str, Stamp], after: Mapping[str, Stamp]) -> set[str]:
    return {path for path, stamp in before.items() if after[path] != stamp}


def _digest(path: str) -> bytes:
    """The digest of a file; a link's target is part of its identity."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    with os.fdopen(file, "rb") as opened:
        return hashlib.file_digest(opened, "sha256").digest()


def reports_all_writes(folder: Path) -> bool:
    """Whether the file system of a folder updates a file's times with every write, also through a mapping."""
    return _reports_all_writes(os.stat(folder).st_dev, folder)  # noqa: PTH116 - as in the whole module


@cache
def _reports_all_writes(device: int, folder: Path) -> bool:
    """Tries it, like a program that has ended before the second check. The page is read first, because a file system
    that does not track mappings then leaves it writable.
    """
    del device
    with tempfile.TemporaryDirectory(dir=folder, prefix="probe-") as probe:
        file = Path(probe, "page")
        file.write_bytes(bytes(mmap.PAGESIZE))
        before = file.stat().st_ctime_ns
        time.sleep(_CLOCK_STEP_SECONDS)
        with file.open("r+b") as opened, mmap.mmap(opened.fileno(), 0) as content:
            content[0] = content[0] + 1
        return file.stat().st_ctime_ns != before
