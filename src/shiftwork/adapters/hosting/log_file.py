"""A log of limited size: when it is full, its end is kept beside it and it starts again."""

import contextlib
import os
from pathlib import Path
from typing import IO, Final

LARGEST: Final = 1 << 20
"""Bytes of a log; its predecessor has as many at most."""

_SAID: Final = 1 << 12


def opened(path: Path, *, empty: bool = False) -> IO[bytes]:
    """The log for writing at its end, whatever was cut off in the meantime."""
    more = os.O_TRUNC if empty else 0
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | more, 0o600), "ab")


def cut(path: Path) -> None:
    """Keep the size within its limit; the processes that write to the log continue in the same file."""
    # A full disk must not end a server: the log is then longer for a while, or has a gap.
    with contextlib.suppress(OSError):
        if path.stat().st_size <= LARGEST:
            return
        with path.open("rb") as log:
            log.seek(-LARGEST // 2, os.SEEK_END)
            kept = log.read()
        os.truncate(path, 0)
        path.with_suffix(".old.log").write_bytes(kept)


def last_words(path: Path) -> str:
    """The end of a log, for a reason; empty if there is none."""
    try:
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - _SAID))
            return log.read().decode(errors="replace").strip()
    except OSError:
        return ""
