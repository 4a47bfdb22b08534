"""Tells being asked to end from being asked twice."""

import signal
import time
from collections.abc import Callable
from math import inf
from typing import Final

ASKING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_DELIBERATE_SECONDS: Final = 0.5
"""Nobody presses Ctrl-C again, having read that agents are told to end, in less."""


class Hearing:
    """What was asked of this process so far.

    One wish often comes as several signals: a terminal that is closed hangs up, and so does its shell, a moment apart;
    `timeout` signals its child and then the child's whole group. Only a person insists, and only by Ctrl-C.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first = self._last_other = -inf
        self._asked = False

    def insists(self, number: int) -> bool:
        """Whether whoever sends this signal wants the process gone at once."""
        now = self._clock()
        deliberate = now - max(self._first, self._last_other) >= _DELIBERATE_SECONDS
        before, self._asked = self._asked, True
        if not before:
            self._first = now
        if number != signal.SIGINT:
            self._last_other = now
        return before and deliberate and number == signal.SIGINT
