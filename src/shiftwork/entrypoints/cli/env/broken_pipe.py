"""Handles closed pipes: a reader that has closed its end is no reason to fail or to stop working."""

import contextlib
import os
import select
import sys
from collections.abc import Iterator
from typing import Final

_GONE: Final = select.POLLERR | select.POLLHUP | select.POLLNVAL


@contextlib.contextmanager
def though_undelivered() -> Iterator[None]:
    """Ignores a closed pipe while printing, so that the work continues."""
    try:
        yield
    except BrokenPipeError:
        if not fall_silent():
            raise


def fall_silent() -> bool:
    """Discards output from now on if a reader has closed its end; returns False if none has, and the error has another
    cause.
    """
    gone = [stream for stream in (sys.stdout, sys.stderr) if _has_no_reader(stream.fileno())]
    for stream in gone:
        # The interpreter flushes at exit, and must not print an error then.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    return bool(gone)


def _has_no_reader(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, 0)  # errors are always reported
    return any(event & _GONE for _, event in poll.poll(0))
