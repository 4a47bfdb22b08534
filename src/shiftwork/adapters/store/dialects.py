"""What tells the two kinds of database apart, without loading a driver for either."""

from typing import Final

SQLITE: Final = "sqlite:///"
POSTGRES: Final = ("postgresql://", "postgres://")

NOW: Final = {
    "sqlite": "(julianday('now') - 2440587.5) * 86400.0",
    "postgresql": "CAST(extract(epoch FROM clock_timestamp()) AS double precision)",
}
"""The database's own clock in seconds since the epoch, so that hosts whose clocks differ agree on ages."""


def sqlite_file(url: str) -> str | None:
    """The file that a SQLite address names, None for a Postgres address; what is neither was refused before."""
    return None if url.startswith(POSTGRES) else url.removeprefix(SQLITE)


def sqlite_uri(file: str) -> str:
    """The file as SQLite's own read-only address; only these three characters mean something else there."""
    quoted = file.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{quoted}?mode=ro"
