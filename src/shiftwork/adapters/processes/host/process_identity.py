"""Identifies this process, and checks whether a recorded process is still alive."""

import hashlib
import os
import socket
from typing import Final

from shiftwork.adapters.processes.host.this_host import this_host
from shiftwork.ports.views import Owner

_TOLERANCE: Final = 1.0
"""Seconds by which two readings of a process's start may differ; a process with a reused pid starts later."""

_DIGEST_BYTES: Final = 8


def this_owner(executor: str) -> Owner:
    return Owner(executor=executor, host=_here(), pid=os.getpid(), pid_started=_started(os.getpid()) or 0.0)


def is_alive(owner: Owner) -> bool | None:
    """Whether the process is alive. None if its pid has no meaning here, because it is or was on another machine, boot
    or pid namespace: then only the age of its lease decides.
    """
    if not this_host().pid_space() or owner.host != _here():
        return None
    started = _started(owner.pid)
    return started is not None and abs(started - owner.pid_started) < _TOLERANCE


def _here() -> str:
    """Returns the host's name, which is for people and may repeat, and a hash, which does not."""
    space = hashlib.blake2b(this_host().pid_space().encode(), digest_size=_DIGEST_BYTES)
    return f"{socket.gethostname()}:{space.hexdigest()}"


def _started(pid: int) -> float | None:
    seen = this_host().look_at(pid)
    return None if seen is None or seen.zombie else seen.started
