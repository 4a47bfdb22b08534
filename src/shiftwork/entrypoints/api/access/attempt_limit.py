"""Limits how often an address may send wrong credentials. Right ones always pass, so nobody is locked out."""

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

FAILURES: Final = 20
"""How many wrong credentials an address may send within the time below."""

SECONDS: Final = 60.0

_ADDRESSES: Final = 1000
"""How many addresses are remembered; the one that was quiet longest is forgotten first."""


class AttemptLimit:
    """Counts wrong credentials by address."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_after_failure(self, address: str) -> float:
        """Counts a failure; returns how many seconds the address should wait, 0 while it is below the limit."""
        now = self._clock()
        failures = self._failures.setdefault(address, deque(maxlen=FAILURES))
        self._failures.move_to_end(address)
        if len(self._failures) > _ADDRESSES:
            self._failures.popitem(last=False)
        while failures and failures[0] <= now - SECONDS:
            failures.popleft()
        if len(failures) == FAILURES:
            return failures[0] + SECONDS - now
        failures.append(now)
        return 0.0
