"""Checks whether a sandbox works here by running one, because a kernel or its administrator may forbid it."""

import socket
import tempfile
from pathlib import Path
from typing import Final

from shiftwork.adapters.processes.supervisor.supervise import Cause, Spawn, supervise
from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.adapters.sandbox.network.gateway import interpreter
from shiftwork.adapters.sandbox.sandbox import Room
from shiftwork.errors import SandboxError

_SECONDS: Final = 60.0
"""A program that has not answered by then will not: even a busy machine takes only seconds."""
ELSEWHERE: Final = 'set tier = "none" under [sandbox], which turns the sandbox off'
MISSING: Final = f"install bubblewrap (apt install bubblewrap), or {ELSEWHERE}"
_FORBIDDEN: Final = (
    "let users make namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns, kernel.unprivileged_userns_clone, "
    f"user.max_user_namespaces), or {ELSEWHERE}"
)
_SCRIPT: Final = """\
touch in-the-tree || exit
if (touch "$1/new") 2> /dev/null; then echo "files outside the sandbox can be written" >&2; exit 1; fi
if [ "$$" -gt 9 ]; then echo "processes outside the sandbox are visible" >&2; exit 1; fi
"""


_CALLS: Final = """\
import os, socket, sys
proxy, port = os.environ["http_proxy"].removeprefix("http://").split(":")
with socket.create_connection((proxy, int(port)), 30) as line:
    line.sendall(b"CONNECT nowhere.invalid:443 HTTP/1.1\\r\\nHost: nowhere.invalid\\r\\n\\r\\n")
    answer = line.recv(1024)
if b" 403 " not in answer:
    sys.exit(f"a host that is not listed is not refused: {answer}")
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)
except OSError:
    sys.exit()
sys.exit("hosts that are not listed can be reached")
"""


async def probe(sandbox: Bubblewrap) -> None:
    """Runs a sandbox; raises SandboxError, with a hint, if it cannot be created or does not confine."""
    with (
        tempfile.TemporaryDirectory(prefix="shiftwork-probe-") as folder,
        socket.create_server(("127.0.0.1", 0)) as own,
    ):
        tree, outside = (Path(folder, name) for name in ("tree", "outside"))
        for place in (tree, outside):
            place.mkdir()
        await _try(sandbox, tree, ("/bin/sh", "-c", _SCRIPT, "sh", str(outside)))
        if sandbox.reach:
            await _try(sandbox, tree, (interpreter(), "-I", "-S", "-c", _CALLS, str(own.getsockname()[1])))


async def _try(sandbox: Bubblewrap, tree: Path, argv: tuple[str, ...]) -> None:
    spawn = Spawn(
        argv=argv,
        cwd=tree,
        env={"PATH": "/usr/bin:/bin"},
        marker=f"probe/{tree.parent.name}",
        wall_seconds=_SECONDS,
        silence_seconds=_SECONDS,
    )
    try:
        over = await supervise(sandbox.enclosed(spawn, Room(tree=tree)), lambda _: None)
    except OSError as failure:
        raise SandboxError(f"{sandbox.program} cannot be run: {failure}", hint=MISSING) from failure
    if over.cause is not Cause.EXITED or over.code:
        why = over.stderr.strip() or f"exit code {over.code}, {over.cause}"
        raise SandboxError(f"bubblewrap cannot create a sandbox here: {why}", hint=_FORBIDDEN)
