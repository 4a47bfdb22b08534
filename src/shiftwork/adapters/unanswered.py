"""Timeouts of every Postgres connection, those of the history and of the engine.

Without these, a connection whose other end has vanished blocks for a quarter of an hour, far longer than any lease.
"""

from collections.abc import Collection, Mapping
from typing import Final

STATEMENT_SECONDS: Final = 15
"""The server ends a statement after this time."""

IDLE_SECONDS: Final = 20
"""The server ends a client's idle transaction, and its locks, after this time: before the client's lease is too old."""

_PARAMETERS: Final[Mapping[str, int]] = {
    "connect_timeout": 5,
    "tcp_user_timeout": 10_000,  # milliseconds in which sent data must have arrived
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
}


def connecting(given: Collection[str] = ()) -> dict[str, int]:
    """Returns the driver's parameters, except for those that the address sets itself."""
    return {name: value for name, value in _PARAMETERS.items() if name not in given}
