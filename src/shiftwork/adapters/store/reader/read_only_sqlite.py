"""Reads a SQLite file whose folder cannot be written to: of another user, or on a file system that is read-only.

SQLite makes two files beside one that is written ahead, and refuses to read it where it cannot. Where they are there
already it reads them, and the log of a writer that lives or has died is read as it must be. Where there is no log, all
is in the file itself, and it can be read as something that does not change, if it is looked after that it has not.
"""

import os
from typing import Final, NamedTuple

from shiftwork.adapters.store.sql.dialect import sqlite_uri
from shiftwork.errors import StoreError

_UNCHANGING: Final = "&immutable=1"


class Mark(NamedTuple):
    """What changes when somebody writes to the file."""

    inode: int
    size: int
    written: int
    log: int


def is_closed(file: str) -> bool:
    """Whether nothing can be made beside the file."""
    return not os.access(os.path.dirname(file), os.W_OK)  # noqa: PTH120 - `status` does not wait for pathlib


def readable(file: str) -> tuple[str, Mark | None]:
    """The address under which it can be read, and what must be the same when it has been read."""
    if not is_closed(file) or os.access(f"{file}-shm", os.F_OK):
        return sqlite_uri(file), None
    mark = marked(file)
    if mark.log:
        raise StoreError(
            f"{file} cannot be read: its last writes are in {file}-wal, which SQLite reads only where it can write",
            hint="see that its folder can be written to, or look at a copy of the repository",
        )
    return sqlite_uri(file) + _UNCHANGING, mark


def check_unchanged(file: str, mark: Mark | None) -> None:
    """Raise StoreError where what has just been read may be neither what was nor what is."""
    if mark is not None and marked(file) != mark:
        raise StoreError(f"{file} was written to while it was read", hint="do it again")


def marked(file: str) -> Mark:
    found = os.stat(file)  # noqa: PTH116 - as above
    try:
        log = os.stat(f"{file}-wal").st_size  # noqa: PTH116 - as above
    except FileNotFoundError:
        log = 0
    return Mark(inode=found.st_ino, size=found.st_size, written=found.st_mtime_ns, log=log)
