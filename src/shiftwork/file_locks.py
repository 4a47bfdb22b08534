"""Waits for a lock on a file, and never for ever: whoever may read a file or a folder can hold its lock."""

import fcntl
import time
from typing import Final

_POLL_SECONDS: Final = 0.02


def locked_within(seconds: float, descriptor: int) -> bool:
    """Lock the open file or folder, until it is closed; False where somebody else has held it all this time."""
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
