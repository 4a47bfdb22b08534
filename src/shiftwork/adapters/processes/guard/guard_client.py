"""The orchestrator's side of its guard: one process, started with the first program and notified of each.

A thread waits for the guard's end: were it found out with the next program only, an agent that works for an hour would
have no guard meanwhile.
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
# Elsewhere than on Linux processes are read by a library, which `site` makes known.
_FLAGS: Final = ("-I", "-S") if sys.platform == "linux" else ("-I",)

# A guard that cannot live is not started again and again without a pause.
_PAUSE_SECONDS: Final = 0.5


class _Guard:
    """The other end of the pipe; `of` is the process that has started it, for one that forks has none."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.of = 0
        self._pipe = -1
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        if self._process is not None and self.of == os.getpid():
            self._process.kill()  # were it only slow, it would end what another guards by then
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
        # One that is stopped and reads nothing must not keep us waiting: then another is started.
        os.set_blocking(self._pipe, False)

    def start_again(self) -> None:
        """Start another, and notify it of all programs."""
        self.start()
        for marker in claims():
            self.say(b"+", marker)

    def has(self, process: subprocess.Popen[bytes]) -> bool:
        return self._process is process and self.of == os.getpid()

    def say(self, sign: bytes, marker: str) -> bool:
        """False where it is not read any more."""
        try:
            os.write(self._pipe, sign + os.fsencode(marker) + b"\0")
        except (BrokenPipeError, BlockingIOError):
            return False
        return True

    def close(self) -> None:
        """Let go of it: it ends what is left of what it knows, and itself."""
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
    """While this lasts, what bears the marker is ended if this process dies. Raises OSError where no guard starts."""
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
    """Start another guard when this one has died while programs run. Where none runs, the next program will."""
    process.wait()
    time.sleep(_PAUSE_SECONDS)
    with _guard.lock, contextlib.suppress(OSError):  # the next program that starts or ends reports it
        if _guard.has(process) and claims():
            _guard.start_again()
