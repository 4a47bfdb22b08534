"""What the tests of supervision and of the reaper share: a program that detaches, and ways to see who lives."""

import asyncio
import os
import sys
import time
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import psutil

from shiftwork.adapters.processes.host import MARKER_VARIABLE

ENV = {"PATH": os.defpath}
PYTHON = sys.executable

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
"""Rids itself of the tag besides: of the limit that nobody else has a use for."""


def marker_for(tmp_path: Path) -> Iterator[str]:
    """The test's own marker; whoever bears it afterwards is ended, which happens only where the test has failed."""
    name = f"{tmp_path.parent.name}/{tmp_path.name}"
    yield name
    for process in psutil.process_iter():
        if marker_in(process).startswith(name):
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


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def pid_in(path: Path) -> int:
    until = time.monotonic() + 20
    while not (path.exists() and path.read_text()) and time.monotonic() < until:
        time.sleep(0.01)
    return int(path.read_text())


def daemon(pid_file: str) -> str:
    return f'{PYTHON} -S -c "$DAEMON" {pid_file}; while [ ! -e {pid_file} ]; do sleep 0.01; done'
