"""Upgrades an older schema: applies the migrations after the version that the database is marked with.

They are few, plain and linear, so they need no more than this; databases that alembic has marked continue from there.
"""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import sqlalchemy as sa

from shiftwork.adapters.store.migrations import versions
from shiftwork.adapters.store.migrations.operations import Operations


def known() -> tuple[str, ...]:
    """All versions of the schema that can be upgraded, newest first."""
    return tuple(migration.revision for migration in reversed(migrations()))


def migrate(connection: sa.Connection, version_table: str, upto: str = "") -> None:
    """Applies the missing migrations, all of them or up to an earlier release, in the connection's transaction."""
    marks = marks_in(version_table)
    marks.create(connection, checkfirst=True)
    present = connection.scalar(sa.select(marks.c.version_num)) or ""
    for migration in migrations():
        if present < migration.revision <= (upto or migration.revision):
            migration.upgrade(Operations(connection))
            mark(connection, marks, migration.revision)


def marks_in(version_table: str) -> sa.Table:
    """The table with one row: the version of the schema. Its columns and constraint are those of alembic."""
    return sa.Table(
        version_table,
        sa.MetaData(),
        sa.Column("version_num", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("version_num", name=f"{version_table}_pkc"),
    )


def mark(connection: sa.Connection, marks: sa.Table, version: str) -> None:
    connection.execute(sa.delete(marks))
    connection.execute(sa.insert(marks).values(version_num=version))


def migrations() -> list[ModuleType]:
    """All modules in `versions`, in the order in which they apply."""
    found = (import_module(f"{versions.__name__}.{module.name}") for module in iter_modules(versions.__path__))
    return sorted(found, key=lambda migration: str(migration.revision))
