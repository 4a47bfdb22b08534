"""Which files of a commit were written while a gate ran, also where they have the same content again afterwards.

By the time of the last change of a file's status, which no program can set, and by the identity of files and folders:
one that was put in the place of another is another. A folder that is moved away and back is not noticed.

File systems that lie in memory (tmpfs) keep that time where a program writes to a file through a mapping. There the
content of every file is compared instead, and what was written and put back while the gate ran is not noticed.
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

from shiftwork.adapters.workspace.tree.checkout import Tracked

type Stamp = tuple[int | bytes, ...]

_TICK_SECONDS: Final = 0.012
"""The clock of file systems goes on within this time, on a kernel that counts a hundred times a second."""


def stamps(tree: str, tracked: Tracked, *, contents: bool = False) -> Mapping[str, Stamp]:
    """Of all files of the commit and the folders that they lie in, with the `contents` of the files or without."""
    return dict(_stamps(tree, tracked, contents=contents))


def _stamps(tree: str, tracked: Tracked, *, contents: bool) -> Iterator[tuple[str, Stamp]]:
    # Plain text, not paths: there may be thousands of files, and every gate waits for this.
    for path in tracked.files:
        try:
            status = os.lstat(f"{tree}/{path}")
            content = _digest(f"{tree}/{path}") if contents else b""
        except OSError:
            yield path, ()
            continue
        yield path, (status.st_ino, status.st_ctime_ns, status.st_size, status.st_mode, content)
    for path in tracked.folders:
        try:
            yield path, (os.lstat(f"{tree}/{path}").st_ino,)
        except OSError:
            yield path, ()


def written(before: Mapping[str, Stamp], after: Mapping[str, Stamp]) -> set[str]:
    return {path for path, stamp in before.items() if after[path] != stamp}


def _digest(path: str) -> bytes:
    """Of a file; a link has its target in its identity."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    with os.fdopen(file, "rb") as opened:
        return hashlib.file_digest(opened, "sha256").digest()


def tells_all_writes(folder: Path) -> bool:
    """Whether the file system of a folder changes a file's times with every write, through a mapping too."""
    return _tells_all_writes(os.stat(folder).st_dev, folder)  # noqa: PTH116 - as everywhere here


@cache
def _tells_all_writes(device: int, folder: Path) -> bool:
    """By trying, as a program does it that has ended by the time of the second look. The page is read first: then a
    file system that does not watch mappings has it open to writing.
    """
    del device
    with tempfile.TemporaryDirectory(dir=folder, prefix="probe-") as probe:
        file = Path(probe, "page")
        file.write_bytes(bytes(mmap.PAGESIZE))
        before = file.stat().st_ctime_ns
        time.sleep(_TICK_SECONDS)
        with file.open("r+b") as opened, mmap.mmap(opened.fileno(), 0) as content:
            content[0] = content[0] + 1
        return file.stat().st_ctime_ns != before
