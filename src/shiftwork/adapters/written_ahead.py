"""Makes a SQLite file one that many processes read and write: all of its databases are opened through here."""

import sqlite3
import time
from typing import Final

BUSY_SECONDS: Final = 30.0
"""How long a connection waits for another's transaction."""
_PAUSE_SECONDS: Final = 0.02
_PRIMARY: Final = 0xFF  # the rest of a code says in which of several ways it was busy
_CHANGE: Final = "PRAGMA journal_mode=WAL"


def write_ahead(connection: sqlite3.Connection) -> None:
    """Change to the write-ahead log, whoever else has just made the file.

    SQLite's own waiting does not hold here: the change begins as a read that becomes a write, and where another writes
    already it is refused at once. Of eight processes that opened a fresh file together, some died of it now and then.
    """
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute(_CHANGE).close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & _PRIMARY != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return
