"""The one place that reads the clock and makes fresh names."""

import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class SystemClock:
    """The machine's own clock; fresh names sort by the second they were made in."""

    def now(self) -> float:
        return time.time()  # noqa: TID251 - this is the one home of the clock

    def fresh(self) -> str:
        value, stamp = int(self.now()), ""
        while value:
            value, digit = divmod(value, len(_ALPHABET))
            stamp = _ALPHABET[digit] + stamp
        return stamp + "".join(secrets.choice(_ALPHABET) for _ in range(4))
