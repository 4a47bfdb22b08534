"""Prepares SQLite files for many reading and writing processes: every database is opened through here."""

import sqlite3
import time
from typing import Final

BUSY_SECONDS: Final = 30.0
"""How long a connection waits for the transaction of another."""

# FULL: a committed transaction survives a power loss, at the cost of one fsync each, a fraction of a millisecond to a
# few. NORMAL also survives a killed process, but a power loss could undo the last transactions.
SAFE: Final = "PRAGMA synchronous=FULL"

_PAUSE_SECONDS: Final = 0.02
_PRIMARY: Final = 0xFF  # the other bits of a code say why it was busy
_CHANGE: Final = "PRAGMA journal_mode=WAL"


def write_ahead(connection: sqlite3.Connection) -> None:
    """Changes to the write-ahead log, even if another process has just created the file.

    SQLite's own busy timeout does not apply here: the change begins as a read that becomes a write, and SQLite refuses
    it at once if another process is writing. Of eight processes that opened a new file together, some failed now and
    then.
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
