"""How this installation is called again, as another process."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Final

_PROGRAM: Final = (sys.executable, "-P", "-m", "shiftwork.entrypoints.cli")
"""With `-P`, because the current folder is a repository: nothing in it may be imported."""

_READING: Final = """\
import json, sys
sys.argv[1:] = json.loads(sys.stdin.buffer.read())
from shiftwork.entrypoints.cli import main
raise SystemExit(main())
"""

_LEAVING: Final = """\
import os
if os.fork():
    os._exit(0)
os.setsid()
"""

_CONSENT: Final = "SHIFTWORK_TRUST"


def worker_command() -> tuple[str, ...]:
    """Continues the run whose id is added to it, and reports to nobody."""
    return (*_PROGRAM, "resume", "--hosted")


def server_command() -> tuple[str, ...]:
    """The server of the repository in the current folder."""
    return (*_PROGRAM, "serve")


def reading_command(*, leaves: bool = False) -> tuple[str, ...]:
    """Any command: reads its words from standard input, as `words_input` writes them, because all users of a machine
    see the arguments of a process. With `leaves` it works in a session of its own, as no child of its caller.
    """
    return (sys.executable, "-P", "-c", f"{_LEAVING if leaves else ''}{_READING}")


def words_input(words: Sequence[str]) -> bytes:
    """What `reading_command` reads."""
    return json.dumps(words).encode()


def without_consent(env: Mapping[str, str]) -> dict[str, str]:
    """The environment for what others ask for: consent to all that a repository says is of a run, and of its user."""
    return {name: value for name, value in env.items() if name != _CONSENT}
