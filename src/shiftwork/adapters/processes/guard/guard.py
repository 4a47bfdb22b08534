"""`python -I -S <this file>`: ends the programs of an orchestrator when it dies, for any reason.

The orchestrator writes to this process's standard input which programs it supervises. The kernel closes that pipe when
the orchestrator is gone, also after kill -9; this process then ends the supervised programs, and exits. It is started
by its path on a bare interpreter, in its own session: signals of a terminal to its foreground do not reach it.

Rejected: a parent-death signal for each program. It must be requested between fork and exec, where Python code is not
safe in a process with threads, and it reaches only the first process of a program. Bubblewrap requests it by itself.
"""

import os
import signal
import sys
import time

_CHUNK = 65536
_SECONDS = 60.0
_LOOKS = 3
_PAUSE_SECONDS = 0.2


def guard() -> set[str]:
    """Waits for the orchestrator's end, and returns the markers of the programs that it still supervised."""
    claims, rest = set[str](), b""
    while chunk := os.read(sys.stdin.fileno(), _CHUNK):
        *messages, rest = (rest + chunk).split(b"\0")
        for message in messages:
            (claims.add if message.startswith(b"+") else claims.discard)(os.fsdecode(message[1:]))
    return claims


def end(claims: set[str]) -> None:
    """Looks more than once, because a process that is becoming another program bears no marker for a moment."""
    # Imported only here: most orchestrators leave nothing behind, and then the guard costs only a bare interpreter.
    sys.path.append(__file__.rsplit("/", 5)[0])
    from shiftwork.adapters.processes.ending.kill import end_quickly  # noqa: PLC0415
    from shiftwork.adapters.processes.host.host import tag_for  # noqa: PLC0415
    from shiftwork.adapters.processes.host.this_host import this_host  # noqa: PLC0415
    from shiftwork.adapters.processes.supervisor.supervised import Claimed  # noqa: PLC0415 - see above

    tags = {tag_for(marker) for marker in claims}
    targets = Claimed(this_host(), lambda marker, tag: marker in claims or tag in tags)
    for _ in range(_LOOKS):
        end_quickly(targets, _SECONDS)
        time.sleep(_PAUSE_SECONDS)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if left := guard():
        end(left)
