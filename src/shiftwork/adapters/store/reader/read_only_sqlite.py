"""Reads a SQLite file in a folder that we cannot write to: of another user, or on a read-only file system.

In WAL mode SQLite creates two files beside the database, and refuses to read where it cannot. If they exist already,
SQLite reads them, including the log of a live or dead writer. Without a log, all data is in the file itself, and it can
be read as immutable, if we check afterwards that it has not changed.
"""

import os
from typing import Final, NamedTuple

from shiftwork.adapters.store.sql.dialect import sqlite_uri
from shiftwork.errors import StoreError

_UNCHANGING: Final = "&immutable=1"


class Mark(NamedTuple):
    """Values that change when the file is written."""

    inode: int
    size: int
    written: int
    log: int


def is_closed(file: str) -> bool:
    """Whether no file can be created beside the file."""
    return not os.access(os.path.dirname(file), os.W_OK)  # noqa: PTH120 - `status` must not load pathlib


def readable(file: str) -> tuple[str, Mark | None]:
    """The address to read the file with, and the mark that must be unchanged after reading."""
    if not is_closed(file) or os.access(f"{file}-shm", os.F_OK):
        return sqlite_uri(file), None
    mark = marked(file)
    if mark.log:
        raise StoreError(
            f"{file} cannot be read: its last writes are in {file}-wal, which SQLite reads only where it can write",
            hint="make its folder writable, or use a copy of the repository",
        )
    return sqlite_uri(file) + _UNCHANGING, mark


def check_unchanged(file: str, mark: Mark | None) -> None:
    """Raises StoreError if the file changed during reading, because the result may be inconsistent."""
    if mark is not None and marked(file) != mark:
        raise StoreError(f"{file} was written to while it was read", hint="try again")


def marked(file: str) -> Mark:
    found = os.stat(file)  # noqa: PTH116 - as above
    try:
        log = os.stat(f"{file}-wal").st_size  # noqa: PTH116 - as above
    except FileNotFoundError:
        log = 0
    return Mark(inode=found.st_ino, size=found.st_size, written=found.st_mtime_ns, log=log)
