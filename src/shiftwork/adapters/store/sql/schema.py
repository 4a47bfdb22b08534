"""Brings a database's schema up to this release, once, however many processes open it at the same moment.

A new database is made from the tables as they are used, and one of this release is left alone: alembic, a tenth of the
time that a run takes to start, is asked for in between only. A test holds what the migrations make equal to the tables.
"""

from typing import Final

import sqlalchemy as sa

from shiftwork.adapters.store.sql import tables
from shiftwork.errors import StoreError

HEAD: Final = "0015"
"""The newest migration."""

# Of our own name: a Postgres database may be shared with programs that use alembic too.
VERSION_TABLE: Final = "shiftwork_schema"

_LOCK: Final = (0x5317, 1)
_versions: Final = sa.Table(
    VERSION_TABLE,
    sa.MetaData(),
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name=f"{VERSION_TABLE}_pkc"),  # as alembic would make it
)


def upgrade(engine: sa.Engine) -> None:
    """Apply what is missing, all or nothing; raises StoreError for a database of a newer release."""
    # On SQLite this transaction is the lock itself: it begins as a writer.
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.text("SET LOCAL statement_timeout = 0"))  # the first to come may need a while
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
    connection.execute(sa.insert(_versions).values(version_num=HEAD))


def _migrate(connection: sa.Connection, present: str) -> None:
    from shiftwork.adapters.store.sql import migrate  # noqa: PLC0415 - see above

    if present not in migrate.known():
        raise StoreError(
            f"the database {connection.engine.url.render_as_string(hide_password=True)} is of a newer release of"
            f" shiftwork (schema {present})",
            hint="upgrade shiftwork on this machine",
        )
    migrate.migrate(connection, VERSION_TABLE)
