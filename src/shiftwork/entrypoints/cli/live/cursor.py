"""Shows the terminal's cursor while this process is stopped (Ctrl-Z) and a table hides it."""

import contextlib
import os
import signal
import threading
from typing import Final

SHOW_CURSOR: Final = b"\x1b[?25h"
HIDE_CURSOR: Final = b"\x1b[?25l"


class HiddenCursor:
    """The cursor of the terminal at a file descriptor; `begin` must run in the main thread, as signals require."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._begun = False

    def begin(self) -> None:
        """Leaves an existing handler, or an ignored signal, as it is."""
        ours = threading.current_thread() is threading.main_thread()
        if ours and signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL:
            signal.signal(signal.SIGTSTP, self._stop)
            self._begun = True

    def end(self) -> None:
        if self._begun:
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            self._begun = False

    def _stop(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # the process must stop even if this fails
            os.write(self._terminal, SHOW_CURSOR)
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTSTP)
        # The process is stopped here until SIGCONT; in the background the cursor belongs to another process.
        signal.signal(signal.SIGTSTP, self._stop)
        with contextlib.suppress(OSError):
            if os.tcgetpgrp(self._terminal) == os.getpgrp():
                os.write(self._terminal, HIDE_CURSOR)
