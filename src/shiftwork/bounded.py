"""Handles files that others may have put there: reads a regular one, and no more of it than is allowed; finds links.

A pipe would be waited for, and a device may never end. What is at the end of a link counts, where links are followed.
"""

import os
import stat
from pathlib import Path
from typing import Final

_FLAGS: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_UNITS: Final = ((1 << 20, "MiB"), (1 << 10, "KiB"))


def first_link(below: Path, path: Path) -> Path | None:
    """The first link on the way from the one folder to the path, the path included: what is written or erased there is
    written or erased where the link leads.
    """
    parts = path.relative_to(below).parts
    places = (below.joinpath(*parts[: end + 1]) for end in range(len(parts)))
    return next((place for place in places if place.is_symlink()), None)


class UnreadableError(OSError):
    """It is no regular file, or too large; the text says which."""


def read_bytes(path: Path, most: int, *, links: bool = True) -> bytes:
    """The content; raises OSError where there is no such file, and UnreadableError where it is not one to be read."""
    content = read_head(path, most + 1, links=links)
    if len(content) > most:
        limit = next((f"{most // size} {unit}" for size, unit in _UNITS if most >= size), f"{most} bytes")
        raise UnreadableError(f"it has more than {limit}")
    return content


def read_text(path: Path, most: int) -> str:
    """The same as UTF-8; raises UnicodeDecodeError as well."""
    return read_bytes(path, most).decode()


def read_head(path: Path, most: int, *, links: bool = True) -> bytes:
    """The beginning of the content, which may be all of it."""
    _check(path.stat(follow_symlinks=links))  # before it is opened: a device may take that for an order
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
