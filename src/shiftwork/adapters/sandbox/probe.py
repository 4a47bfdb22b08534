"""Whether a sandbox can be had here: found out by running one, for a kernel or its administrator may forbid it."""

import tempfile
from pathlib import Path
from typing import Final

from shiftwork.adapters.processes.supervise import Cause, Spawn, supervise
from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.adapters.sandbox.walls import Room
from shiftwork.errors import SandboxError

_SECONDS: Final = 20.0
ELSEWHERE: Final = 'set tier = "none" under [sandbox], which confines nobody'
MISSING: Final = f"install bubblewrap (apt install bubblewrap), or {ELSEWHERE}"
_FORBIDDEN: Final = (
    "let users make namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns, kernel.unprivileged_userns_clone, "
    f"user.max_user_namespaces), or {ELSEWHERE}"
)
_SCRIPT: Final = """\
touch in-the-tree || exit
if (touch "$1/new") 2> /dev/null; then echo "what is outside can be written to" >&2; exit 1; fi
if [ "$$" -gt 9 ]; then echo "the processes of the machine are seen" >&2; exit 1; fi
"""


async def probe(sandbox: Bubblewrap) -> None:
    """Run one; raises SandboxError, with what to do, where there is none or it does not hold."""
    with tempfile.TemporaryDirectory(prefix="shiftwork-probe-") as folder:
        tree, outside = (Path(folder, name) for name in ("tree", "outside"))
        for place in (tree, outside):
            place.mkdir()
        shell = Spawn(
            argv=("/bin/sh", "-c", _SCRIPT, "sh", str(outside)),
            cwd=tree,
            env={"PATH": "/usr/bin:/bin"},
            marker=f"probe/{Path(folder).name}",
            wall_seconds=_SECONDS,
            silence_seconds=_SECONDS,
        )
        try:
            over = await supervise(sandbox.enclosed(shell, Room(tree=tree)), lambda _: None)
        except OSError as failure:
            raise SandboxError(f"{sandbox.program} cannot be run: {failure}", hint=MISSING) from failure
    if over.cause is not Cause.EXITED or over.code:
        why = over.stderr.strip() or f"exit code {over.code}, {over.cause}"
        raise SandboxError(f"bubblewrap makes no sandbox here: {why}", hint=_FORBIDDEN)
