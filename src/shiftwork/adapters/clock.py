"""The only place that reads the clock and generates unique names."""

import os
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_SHORT = 4  # five random bits per letter
_LONG = 16


class SystemClock:
    """The machine's own clock; generated names sort by the second of their creation."""

    def now(self) -> float:
        return time.time()  # noqa: TID251 - the only use of the clock

    def elapsed(self) -> float:
        return time.monotonic()

    def fresh(self) -> str:
        return self._stamped(_SHORT)

    def executor(self) -> str:
        """The name of a worker: 80 random bits after the second, because workers of many hosts share one database."""
        return self._stamped(_LONG)

    def _stamped(self, random_length: int) -> str:
        value, stamp = int(self.now()), ""
        while value:
            value, digit = divmod(value, len(_ALPHABET))
            stamp = _ALPHABET[digit] + stamp
        # `secrets` would do the same, but importing it takes a twentieth of the time that `status` needs.
        return stamp + "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in os.urandom(random_length))
