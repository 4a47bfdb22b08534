"""The orchestrator's side of its guard: one process, started with the first program and notified of each.

A thread waits for the guard's end: if only the next program noticed it, an agent could run for hours without a guard.
"""

import atexit
import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from shiftwork.adapters.processes.host.own_children import birth, claims

_PROGRAM: Final = Path(__file__).with_name("guard.py")
# On systems other than Linux a library reads the processes, and `site` makes it importable.
_FLAGS: Final = ("-I", "-S") if sys.platform == "linux" else ("-I",)

# The pause before another guard is started, in case guards exit at once.
_PAUSE_SECONDS: Final = 0.5


class _Guard:
    """Our end of the pipe; `of` is the process that started the guard, because a fork of that process has no guard."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.of = 0
        self._pipe = -1
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        if self._process is not None and self.of == os.getpid():
            self._process.kill()  # if it is only slow, it would end programs of the next guard
        self.close()
        reading, self._pipe = os.pipe()
        try:
            with birth() as remember:
                self._process = subprocess.Popen(  # noqa: S603 - our own program
                    (sys.executable, *_FLAGS, str(_PROGRAM)),
                    stdin=reading,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    start_new_session=True,
                )
                remember(self._process)
        finally:
            os.close(reading)
        self.of = os.getpid()
        threading.Thread(target=_replace, args=(self._process,), name="guard", daemon=True).start()
        # A stopped guard that reads nothing must not block us: another is started instead.
        os.set_blocking(self._pipe, False)

    def start_again(self) -> None:
        """Starts another guard and notifies it of all programs."""
        self.start()
        for marker in claims():
            self.say(b"+", marker)

    def has(self, process: subprocess.Popen[bytes]) -> bool:
        return self._process is process and self.of == os.getpid()

    def say(self, sign: bytes, marker: str) -> bool:
        """Returns False if the guard no longer reads."""
        try:
            os.write(self._pipe, sign + os.fsencode(marker) + b"\0")
        except (BrokenPipeError, BlockingIOError):
            return False
        return True

    def close(self) -> None:
        """Closes the pipe: the guard ends the programs that are left, and exits."""
        pipe, process, self._pipe, self._process = self._pipe, self._process, -1, None
        if pipe >= 0:
            os.close(pipe)
        if process is not None and self.of == os.getpid():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=1.0)


_guard: Final = _Guard()
atexit.register(_guard.close)


@contextlib.contextmanager
def guarded(marker: str) -> Iterator[None]:
    """Within this context, programs with the marker end if this process dies. Raises OSError if no guard starts."""
    _notify(b"+", marker)
    try:
        yield
    finally:
        _notify(b"-", marker)


def _notify(sign: bytes, marker: str) -> None:
    with _guard.lock:
        if _guard.of == os.getpid() and _guard.say(sign, marker):
            return
        _guard.start_again()
        _guard.say(sign, marker)


def _replace(process: subprocess.Popen[bytes]) -> None:
    """Starts another guard if this one died while programs run. If none runs, the next program starts it."""
    process.wait()
    time.sleep(_PAUSE_SECONDS)
    with _guard.lock, contextlib.suppress(OSError):  # the next program that starts or ends reports it
        if _guard.has(process) and claims():
            _guard.start_again()
