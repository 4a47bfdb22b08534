"""Runs a command with all that it starts: what it took of the processor, and an end for everything after its limit."""

import contextlib
import os
import queue
import resource
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

_LEAVING_SECONDS: Final = 10.0
_ANSWER_SECONDS: Final = 0.5

OVER_ITS_LIMIT: Final = None
"""The exit code of what was ended after its limit."""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """`processor` is of all descendants, in seconds; `answered` says whether the address did."""

    code: int | None
    seconds: float
    processor: float
    answered: bool = False


def run_command(command: Sequence[str], log: Path, *, seconds: float, address: str = "") -> Ended:
    """Runs it with its output in the log. With an address, it is ended when the address has answered.

    This process must adopt orphans (`host.adopt_orphans`) and have no other children meanwhile: it waits for every
    process that the command has left, because the time of others is not counted.
    """
    began, before = time.monotonic(), _waited_for()
    codes: queue.Queue[int] = queue.Queue()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    waiter = threading.Thread(target=_wait_for_all, args=(process, codes), daemon=True)
    waiter.start()
    try:
        answered = bool(address) and _answers(address, began + seconds, codes)
        code = OVER_ITS_LIMIT
        if not answered:
            with contextlib.suppress(queue.Empty):
                code = codes.get(timeout=max(0.0, began + seconds - time.monotonic()))
    finally:
        if process.returncode is None:
            _send(signal.SIGTERM, psutil.Process().children(recursive=True))
        waiter.join(_LEAVING_SECONDS)
        while waiter.is_alive():  # a process may start another one meanwhile
            _send(signal.SIGKILL, psutil.Process().children(recursive=True))
            waiter.join(1)
    taken = time.monotonic() - began
    return Ended(code=code, seconds=taken, processor=_waited_for() - before, answered=answered)


def _wait_for_all(process: subprocess.Popen[bytes], codes: "queue.Queue[int]") -> None:
    """Until no child is left."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, 0)
            if pid == process.pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                codes.put(process.returncode)


def _answers(address: str, until: float, codes: "queue.Queue[int]") -> bool:
    """Whether it answers before that moment, and before the command has ended."""
    while codes.empty() and time.monotonic() < until:
        with contextlib.suppress(OSError, urllib.error.URLError), urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310 - of the table
            return bool(answer.status == 200)
        time.sleep(_ANSWER_SECONDS)
    return False


def _send(number: signal.Signals, processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(number)


def _waited_for() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def describe_folders(folders: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """How many files each of them has, and when the last one was changed: equal if nothing has written there."""
    found = {}
    for folder in folders:
        times = [0]
        for path in (folder, *folder.rglob("*")):
            with contextlib.suppress(OSError):
                times.append(path.lstat().st_mtime_ns)
        found[str(folder)] = (len(times), max(times))
    return found
