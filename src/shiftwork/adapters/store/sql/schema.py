"""Upgrades a database's schema to this release, once, even if many processes open it at the same moment.

A new database is created from the current tables, and a database of this release is left alone. A test checks that
migrations and tables agree.
"""

from typing import Final

import sqlalchemy as sa

from shiftwork.adapters.store.sql import migrate, tables
from shiftwork.adapters.store.sql.schema_version import HEAD, VERSION_TABLE
from shiftwork.errors import StoreError

_LOCK: Final = (0x5317, 1)
_versions: Final = migrate.marks_in(VERSION_TABLE)


def upgrade(engine: sa.Engine) -> None:
    """Applies missing changes, all or nothing; raises StoreError for a database of a newer release."""
    # On SQLite this transaction itself is the lock, because it begins as a writer.
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.text("SET LOCAL statement_timeout = 0"))  # the first process may need a while
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(*_LOCK)))
        present = _present(connection)
        if present is None:
            _make(connection)
        elif present != HEAD:
            _migrate(connection, present)


def _present(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.scalar(sa.select(_versions.c.version_num))


def _make(connection: sa.Connection) -> None:
    tables.metadata.create_all(connection, checkfirst=False)
    _versions.create(connection)
    migrate.mark(connection, _versions, HEAD)


def _migrate(connection: sa.Connection, present: str) -> None:
    if present not in migrate.known():
        raise StoreError(
            f"the database {connection.engine.url.render_as_string(hide_password=True)} was made by a newer release of"
            f" shiftwork (schema {present})",
            hint="upgrade shiftwork on this machine",
        )
    migrate.migrate(connection, VERSION_TABLE)
