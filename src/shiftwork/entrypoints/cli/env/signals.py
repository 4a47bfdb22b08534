"""Distinguishes one request to end from a repeated one."""

import signal
import time
from collections.abc import Callable
from math import inf
from typing import Final

ASKING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_DELIBERATE_SECONDS: Final = 0.5
"""A person who has read the message about stopping agents needs at least this long to press Ctrl-C again."""


class StopSignals:
    """The signals that this process has received so far.

    One request often arrives as several signals: a terminal that closes sends SIGHUP, and so does its shell a moment
    later; `timeout` signals its child and then the child's whole group. Only a person repeats a request, and only with
    Ctrl-C.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first = self._last_other = -inf
        self._asked = False

    def insists(self, number: int) -> bool:
        """Whether this signal is a repeated request, so that the process must end at once."""
        now = self._clock()
        deliberate = now - max(self._first, self._last_other) >= _DELIBERATE_SECONDS
        before, self._asked = self._asked, True
        if not before:
            self._first = now
        if number != signal.SIGINT:
            self._last_other = now
        return before and deliberate and number == signal.SIGINT
