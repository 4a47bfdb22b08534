"""`python -I -S <this file>`: end the programs of an orchestrator when it dies, however it does.

The orchestrator writes down on standard input which programs it supervises. The kernel closes that pipe when the
orchestrator is gone, by kill -9 as well; whatever it supervised then is ended, and so is this process. It is started by
its path on a bare interpreter, in a session of its own: what a terminal sends to its foreground does not reach it.

Not taken: a parent-death signal for each program. It must be asked for between fork and exec, where Python code is not
safe in a process with threads, and it reaches the first process of a program only. Bubblewrap asks for it by itself.
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
    """The markers of what was supervised when the orchestrator was gone."""
    claims, rest = set[str](), b""
    while chunk := os.read(sys.stdin.fileno(), _CHUNK):
        *messages, rest = (rest + chunk).split(b"\0")
        for message in messages:
            (claims.add if message.startswith(b"+") else claims.discard)(os.fsdecode(message[1:]))
    return claims


def end(claims: set[str]) -> None:
    """More than once: one that is just becoming another program bears no marker for a moment."""
    # Loaded when it is needed: most orchestrators leave nothing behind, and then a bare interpreter is all this costs.
    sys.path.append(__file__.rsplit("/", 5)[0])
    from shiftwork.adapters.processes.ending.kill import end_quickly  # noqa: PLC0415
    from shiftwork.adapters.processes.host.host import tag_for  # noqa: PLC0415
    from shiftwork.adapters.processes.host.this_host import this_host  # noqa: PLC0415
    from shiftwork.adapters.processes.supervisor.supervised import Claimed  # noqa: PLC0415 - see above

    tags = {tag_for(marker) for marker in claims}
    quarry = Claimed(this_host(), lambda marker, tag: marker in claims or tag in tags)
    for _ in range(_LOOKS):
        end_quickly(quarry, _SECONDS)
        time.sleep(_PAUSE_SECONDS)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if left := guard():
        end(left)
