"""What tells the two kinds of database apart, without loading a driver for either."""

from typing import Final

from shiftwork.errors import StoreError

SQLITE: Final = "sqlite:///"
POSTGRES: Final = ("postgresql://", "postgres://")

NOW: Final = {
    "sqlite": "(julianday('now') - 2440587.5) * 86400.0",
    "postgresql": "CAST(extract(epoch FROM clock_timestamp()) AS double precision)",
}
"""The database's own clock in seconds since the epoch, so that hosts whose clocks differ agree on ages."""


def stray(url: str) -> str:
    """Why it is the address of neither kind, empty where it is; said without the text, which may hold a password."""
    if url.startswith(POSTGRES):
        return ""
    if not url.startswith(SQLITE):
        return f"it begins with neither {SQLITE} nor {POSTGRES[0]}"
    return "" if url.removeprefix(SQLITE).startswith("/") else "the path of the file is not absolute"


def sqlite_file(url: str) -> str | None:
    """The file that a SQLite address names, None for a Postgres address; raises StoreError for any other."""
    if wrong := stray(url):
        raise StoreError(
            f"this is no address of a database: {wrong}",
            hint="write sqlite:////absolute/path.db or postgresql://user@host:port/name",
        )
    return None if url.startswith(POSTGRES) else url.removeprefix(SQLITE)


def sqlite_uri(file: str) -> str:
    """The file as SQLite's own read-only address; only these three characters mean something else there."""
    quoted = file.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{quoted}?mode=ro"
