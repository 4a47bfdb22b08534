"""Reads parts of text files that grow: a part never ends within a character."""

from typing import Final

LARGEST_PART: Final = 1 << 18
"""The maximum size of a part in bytes."""


def read_part(file: str, offset: int, limit: int) -> tuple[int, bytes]:
    """The size of the file, and its bytes at an offset; a file that is not there is empty."""
    try:
        with open(file, "rb") as opened:  # noqa: PTH123 - a path of ours
            size = opened.seek(0, 2)
            opened.seek(min(offset, size))
            read = opened.read(limit)
    except FileNotFoundError:
        return 0, b""
    return size, read if offset + len(read) >= size else read[: _whole(read)]


def _whole(read: bytes) -> int:
    """The length without the begun character at its end, if there is one."""
    for back in range(1, min(4, len(read)) + 1):
        byte = read[-back]
        if byte & 0xC0 != 0x80:
            needed = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(read) - back if needed > back and len(read) > back else len(read)
    return len(read)
