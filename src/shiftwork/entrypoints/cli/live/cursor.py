"""Gives the terminal its cursor back while this process is stopped (Ctrl-Z), for as long as a table hides it."""

import contextlib
import os
import signal
import threading
from typing import Final

SHOW_CURSOR: Final = b"\x1b[?25h"
_HIDE_CURSOR: Final = b"\x1b[?25l"


class HiddenCursor:
    """Of the terminal behind a file descriptor; to be begun in the main thread, as all that hears of signals."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._begun = False

    def begin(self) -> None:
        """Where somebody else listens already, or nobody is to be stopped, that stays so."""
        ours = threading.current_thread() is threading.main_thread()
        if ours and signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL:
            signal.signal(signal.SIGTSTP, self._stop)
            self._begun = True

    def end(self) -> None:
        if self._begun:
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            self._begun = False

    def _stop(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # whatever becomes of the cursor, who is told to stop does
            os.write(self._terminal, SHOW_CURSOR)
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTSTP)
        # Here it stands, until it is told to go on: in the background the cursor is somebody else's.
        signal.signal(signal.SIGTSTP, self._stop)
        with contextlib.suppress(OSError):
            if os.tcgetpgrp(self._terminal) == os.getpgrp():
                os.write(self._terminal, _HIDE_CURSOR)
