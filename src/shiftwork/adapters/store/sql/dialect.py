"""The differences between the two kinds of database, without loading a driver for either."""

from typing import Final

from shiftwork.errors import StoreError

SQLITE: Final = "sqlite:///"
POSTGRES: Final = ("postgresql://", "postgres://")

NOW: Final = {
    "sqlite": "(julianday('now') - 2440587.5) * 86400.0",
    "postgresql": "CAST(extract(epoch FROM clock_timestamp()) AS double precision)",
}
"""The database's own clock in seconds since the epoch, so that hosts with different clocks agree on ages."""

CHANNEL: Final = "shiftwork_inbox"
"""A post on Postgres notifies it; without a payload, because the table says what was posted."""

# One post at a time: if a lower position became visible after a higher position, a reader whose cursor is past it would
# never see that message. SQLite has only one writer. On Postgres, a notification makes commits wait for each other
# anyway; as a transaction of a single statement, it holds the lock for little longer than the commit.
POSTING: Final = {
    "sqlite": """
        INSERT INTO inbox (target, key, body) VALUES (?, ?, ?)
        ON CONFLICT (target, key) DO NOTHING RETURNING position""",
    "postgresql": """
        WITH ordered AS (SELECT pg_advisory_xact_lock(21271, 2)), posted AS (
            INSERT INTO inbox (target, key, body)
            SELECT CAST(? AS text), CAST(? AS text), CAST(? AS text) FROM ordered
            ON CONFLICT (target, key) DO NOTHING RETURNING position
        ) SELECT position, pg_notify('shiftwork_inbox', '') FROM posted""",
}
"""Adds a message once, and returns its position, nothing if it was there; on Postgres it notifies all processes."""

# On Postgres a statement sees what was committed when it began, so one that waits for the lock would not see what was
# posted meanwhile. The lock is a statement of its own, sent in one message with the next: both are one transaction, and
# no client that is suspended between them holds the lock.
POSTING_AFTER: Final = {
    "sqlite": """
        INSERT INTO inbox (target, key, body) SELECT ?, ?, ?
        WHERE NOT EXISTS (SELECT 1 FROM inbox WHERE target = ? AND position > ?)
        ON CONFLICT (target, key) DO NOTHING RETURNING position""",
    "postgresql": """
        SELECT pg_advisory_xact_lock(21271, 2);
        WITH posted AS (
            INSERT INTO inbox (target, key, body) SELECT ?, ?, ?
            WHERE NOT EXISTS (SELECT 1 FROM inbox WHERE target = ? AND position > ?)
            ON CONFLICT (target, key) DO NOTHING RETURNING position
        ) SELECT position, pg_notify('shiftwork_inbox', '') FROM posted""",
}
"""As `POSTING`, but only if the target, which is named again, has no message after a position."""

UNREAD: Final = {
    "sqlite": """
        SELECT asked.key FROM json_each(?) AS asked
        WHERE EXISTS (SELECT 1 FROM inbox WHERE target = asked.key AND position > asked.value)""",
    "postgresql": """
        SELECT asked.key FROM jsonb_each_text(CAST(? AS jsonb)) AS asked
        WHERE EXISTS (SELECT 1 FROM inbox WHERE target = asked.key AND position > CAST(asked.value AS bigint))""",
}
"""The targets, given as a JSON object, that have a message after the position given for each."""


def stray(url: str) -> str:
    """Why an address is of neither kind, empty if it is valid; leaves out the address, which may contain a password."""
    if url.startswith(POSTGRES):
        return ""
    if not url.startswith(SQLITE):
        return f"it begins with neither {SQLITE} nor {POSTGRES[0]}"
    return "" if url.removeprefix(SQLITE).startswith("/") else "the path of the file is not absolute"


def sqlite_file(url: str) -> str | None:
    """The file of a SQLite address, None for a Postgres address; raises StoreError for any other address."""
    if wrong := stray(url):
        raise StoreError(
            f"this is not a database address: {wrong}",
            hint="write sqlite:////absolute/path.db or postgresql://user@host:port/name",
        )
    return None if url.startswith(POSTGRES) else url.removeprefix(SQLITE)


def sqlite_uri(file: str) -> str:
    """The file as SQLite's read-only URI; only these three characters have a special meaning in it."""
    quoted = file.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{quoted}?mode=ro"
