"""Reads untrusted files safely: only regular files, up to a size limit; also finds symbolic links.

Opening a pipe would block, and a device may never end. Where links are followed, the link's target is checked.
"""

import os
import stat
from pathlib import Path
from typing import Final

_FLAGS: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_UNITS: Final = ((1 << 20, "MiB"), (1 << 10, "KiB"))


def first_link(below: Path, path: Path) -> Path | None:
    """The first link on the path from `below` to `path`, `path` included. Writing or deleting through a link would
    affect its target.
    """
    parts = path.relative_to(below).parts
    places = (below.joinpath(*parts[: end + 1]) for end in range(len(parts)))
    return next((place for place in places if place.is_symlink()), None)


class UnreadableError(OSError):
    """The path is not a regular file, or the file is too large; the message says which."""


def read_bytes(path: Path, most: int, *, links: bool = True) -> bytes:
    """The content. Raises OSError if the file does not exist, UnreadableError if it is not regular or is too large."""
    content = read_head(path, most + 1, links=links)
    if len(content) > most:
        limit = next((f"{most // size} {unit}" for size, unit in _UNITS if most >= size), f"{most} bytes")
        raise UnreadableError(f"it has more than {limit}")
    return content


def read_text(path: Path, most: int) -> str:
    """The content decoded as UTF-8; also raises UnicodeDecodeError."""
    return read_bytes(path, most).decode()


def read_head(path: Path, most: int, *, links: bool = True) -> bytes:
    """The first `most` bytes of the content."""
    _check(path.stat(follow_symlinks=links))  # before opening: opening a device can have side effects
    file = os.open(path, _FLAGS if links else _FLAGS | os.O_NOFOLLOW)
    try:
        _check(os.fstat(file))
        content = bytearray()
        while len(content) < most and (part := os.read(file, most - len(content))):
            content += part
    finally:
        os.close(file)
    return bytes(content)


def _check(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableError("it is not a regular file")
