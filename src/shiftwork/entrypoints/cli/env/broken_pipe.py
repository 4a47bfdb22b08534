"""Whether anybody reads what we print: who has read enough and gone is no reason to fail, nor to stop working."""

import contextlib
import os
import select
import sys
from collections.abc import Iterator
from typing import Final

_GONE: Final = select.POLLERR | select.POLLHUP | select.POLLNVAL


@contextlib.contextmanager
def though_unheard() -> Iterator[None]:
    """What is printed in here may be heard by nobody; what was to be done goes on."""
    try:
        yield
    except BrokenPipeError:
        if not fall_silent():
            raise


def fall_silent() -> bool:
    """Print into nothing from now on where a reader has gone; False where none has, and something else is broken."""
    gone = [stream for stream in (sys.stdout, sys.stderr) if _unheard(stream.fileno())]
    for stream in gone:
        # The interpreter flushes at its end, and must not complain then.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    return bool(gone)


def _unheard(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, 0)  # its errors are told in any case
    return any(event & _GONE for _, event in poll.poll(0))
