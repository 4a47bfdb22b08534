"""The one place that reads the clock and makes fresh names."""

import os
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_SHORT = 4  # five random bits a letter
_LONG = 16


class SystemClock:
    """The machine's own clock; fresh names sort by the second they were made in."""

    def now(self) -> float:
        return time.time()  # noqa: TID251 - this is the one home of the clock

    def fresh(self) -> str:
        return self._stamped(_SHORT)

    def executor(self) -> str:
        """The name of a worker: 80 random bits after the second, because workers of many hosts share one database."""
        return self._stamped(_LONG)

    def _stamped(self, letters: int) -> str:
        value, stamp = int(self.now()), ""
        while value:
            value, digit = divmod(value, len(_ALPHABET))
            stamp = _ALPHABET[digit] + stamp
        # `secrets` would say the same, and takes a twentieth of the time in which `status` answers to import.
        return stamp + "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in os.urandom(letters))
