"""Files that may be larger than memory or the disk: only their data is read, and holes cost nothing.

A command can make a file of a terabyte that uses no disk space. Reading all of it would take an hour, so only blocks
with data are read; the layout on the file system makes no difference.
"""

import errno
import hashlib
import os
from collections.abc import Iterator
from typing import Final

_BLOCK: Final = 256 * 1024
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


def digest_of(place: str) -> str:
    """The digest; the same for two files of the same content."""
    file = os.open(place, _READ)
    try:
        digest = hashlib.sha256(b"%d" % os.fstat(file).st_size)
        for at, block in _blocks(file):
            digest.update(b"\n%d\n" % at + block)
        return digest.hexdigest()
    finally:
        os.close(file)


def copy_large(source: str, target: str) -> None:
    """Creates the target, which must not exist."""
    file = os.open(source, _READ)
    try:
        copy = os.open(target, _NEW, 0o600)
        try:
            os.ftruncate(copy, os.fstat(file).st_size)
            for at, block in _blocks(file):
                os.pwrite(copy, block, at)
        finally:
            os.close(copy)
    finally:
        os.close(file)


def _blocks(file: int) -> Iterator[tuple[int, bytes]]:
    """Blocks with more than zeros, by their offset."""
    size, at = os.fstat(file).st_size, 0
    while at < size:
        try:
            at = os.lseek(file, at, os.SEEK_DATA) // _BLOCK * _BLOCK
        except OSError as error:
            if error.errno == errno.ENXIO:  # only a hole follows
                return
            raise
        block = os.pread(file, _BLOCK, at)
        if block.strip(b"\0"):
            yield at, block
        at += _BLOCK
