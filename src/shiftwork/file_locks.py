"""Waits for a file lock, with a time limit: any process that can read a file or a folder can hold its lock."""

import fcntl
import time
from typing import Final

_POLL_SECONDS: Final = 0.02


def locked_within(seconds: float, descriptor: int) -> bool:
    """Lock the open file or folder until it is closed; False if another process held the lock all this time."""
    until = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(_POLL_SECONDS)
        else:
            return True
