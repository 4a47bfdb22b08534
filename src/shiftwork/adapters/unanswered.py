"""How long a Postgres server may leave a question unanswered; for every connection, the history's and the engine's.

Without these a connection whose other end has vanished is waited for a quarter of an hour, far beyond any lease.
"""

from collections.abc import Collection, Mapping
from typing import Final

STATEMENT_SECONDS: Final = 15
"""For the server itself, which ends a statement after so long."""

IDLE_SECONDS: Final = 20
"""For a client that stops inside a transaction: the server ends that, and its locks, before its lease is too old."""

_PARAMETERS: Final[Mapping[str, int]] = {
    "connect_timeout": 5,
    "tcp_user_timeout": 10_000,  # milliseconds in which something that was sent must have arrived
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
}


def connecting(given: Collection[str] = ()) -> dict[str, int]:
    """The driver's parameters, but for those that the address names itself."""
    return {name: value for name, value in _PARAMETERS.items() if name not in given}
