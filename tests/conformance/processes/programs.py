"""What the tests of supervision and of the reaper share: a program that detaches, and checks for living processes."""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import psutil

from shiftwork.adapters.processes.host.host import MARKER_VARIABLE

ENV = {"PATH": os.defpath}
PYTHON = sys.executable

_PLUGINS = tuple(plugin.name for plugin in entry_points(group="pytest11"))
"""What is installed for this project's own tests: to load it is more than half of what a start of pytest takes."""

DAEMON = """
import os, sys
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for fd in (0, 1, 2): os.close(fd)
with open(sys.argv[1] + ".part", "w") as file: file.write(str(os.getpid()))
os.rename(sys.argv[1] + ".part", sys.argv[1])
os.execve("/bin/sleep", ["sleep", "300"], {})
"""
"""Detaches by the book, closes all its files and clears its environment; leaves its pid in a file."""

ESCAPE = DAEMON.replace(
    "import os, sys", "import os, resource, sys\nhard = resource.getrlimit(10)[1]\nresource.setrlimit(10, (hard, hard))"
)
"""Also removes its tag: the limit that no other program uses."""


def bare_pytest(*kept: str) -> str:
    """The command for repositories of tests: without our plugins, but for those that are kept."""
    return " ".join(
        (PYTHON, "-m pytest -p no:cacheprovider", *(f"-p no:{name}" for name in _PLUGINS if name not in kept))
    )


def marker_for(tmp_path: Path) -> Iterator[str]:
    """The test's own marker. Processes that still have it afterwards are ended; only a failed test leaves any."""
    name = f"test{tmp_path}"  # all of it: another run of the same tests may be in progress
    yield name
    for process in psutil.process_iter():
        if marker_in(process).startswith(name):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


def marker_in(process: psutil.Process) -> str:
    try:
        return process.environ().get(MARKER_VARIABLE, "")
    except (psutil.Error, OSError):
        return ""


def within[T](seconds: float, scene: Coroutine[Any, Any, T]) -> T:
    async def bounded() -> T:
        async with asyncio.timeout(seconds):
            return await scene

    return asyncio.run(bounded())


def once_begun[T](play: Callable[[float], tuple[T, list[bytes]]], seconds: float) -> tuple[T, list[bytes]]:
    """What came of a program that breaks its bound of some seconds, having begun before: its first line says `ready`.

    On a busy machine it may not have begun by then; so it is played again, with more time.
    """
    while (played := play(seconds))[1][:1] != [b"ready"]:
        assert seconds < 60, played
        seconds *= 4
    return played


@contextlib.contextmanager
def killed_at_last(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Even when the test fails: leaving a `Popen` block waits for the program's end, which may never come."""
    try:
        yield
    finally:
        process.kill()


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def guards_of(orchestrator: int) -> list[int]:
    """Those that live."""
    found = []
    for child in psutil.Process(orchestrator).children():
        with contextlib.suppress(psutil.Error):
            if any(word.endswith("/guard.py") for word in child.cmdline()):
                found.append(child.pid)
    return found


def pid_in(path: Path) -> int:
    until = time.monotonic() + 60
    while not (path.exists() and path.read_text()) and time.monotonic() < until:
        time.sleep(0.01)
    return int(path.read_text())


def daemon(pid_file: str) -> str:
    return f'{PYTHON} -S -c "$DAEMON" {pid_file}; while [ ! -e {pid_file} ]; do sleep 0.01; done'
