"""Who this process is, and whether another process that left its name still lives."""

import os
import socket

from shiftwork.adapters.processes.this_host import this_host
from shiftwork.ports.views import Owner

_TOLERANCE = 1.0
"""Seconds by which two readings of one process's start may differ; a pid used again by another starts later."""


def this_owner(executor: str) -> Owner:
    return Owner(
        executor=executor, host=socket.gethostname(), pid=os.getpid(), pid_started=_started(os.getpid()) or 0.0
    )


def is_alive(owner: Owner) -> bool | None:
    """Whether the process lives; None where it is on another host and only its signs of life can tell."""
    if owner.host != socket.gethostname():
        return None
    started = _started(owner.pid)
    return started is not None and abs(started - owner.pid_started) < _TOLERANCE


def _started(pid: int) -> float | None:
    seen = this_host().sight().get(pid)
    return None if seen is None or seen.zombie else seen.started
