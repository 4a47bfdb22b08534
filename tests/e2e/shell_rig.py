"""A terminal with an interactive shell: its jobs can be stopped, and the terminal can be closed like a window."""

import contextlib
import os
import pty
import subprocess
import termios
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.e2e.cli_rig import Project
from tests.patience import SECONDS


@dataclass(kw_only=True)
class Terminal:
    """What a person at it types and sees."""

    end: int
    screen: bytearray = field(default_factory=bytearray)

    def types(self, text: str) -> None:
        os.write(self.end, text.encode())

    def seen(self) -> bytes:
        """All output so far. Call it repeatedly: otherwise programs that write to the terminal block."""
        with contextlib.suppress(BlockingIOError):
            self.screen += os.read(self.end, 65536)
        return bytes(self.screen)


@contextlib.contextmanager
def a_shell(project: Project) -> Iterator[Terminal]:
    """The terminal is closed when this is left, and the shell has ended."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    os.set_blocking(ours, False)
    # Opened by the leader of a session that has none, it becomes the session's terminal.
    opened = f"exec bash --norc -i <{os.ttyname(theirs)} >{os.ttyname(theirs)} 2>&1"
    env = project.environment(TERM="xterm-256color")
    with subprocess.Popen(["sh", "-c", opened], cwd=project.root, env=env, start_new_session=True) as shell:
        try:
            yield Terminal(end=ours)
        finally:
            os.close(theirs)
            os.close(ours)
            shell.wait(timeout=SECONDS)
