"""Brings a database's schema up to this release, once, however many processes open it at the same moment."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext, MigrationStep
from alembic.script import ScriptDirectory

from shiftwork.errors import StoreError

# Of our own name: a Postgres database may be shared with programs that use alembic too.
VERSION_TABLE: Final = "shiftwork_schema"

_MIGRATIONS: Final = Path(__file__).with_name("migrations")
_LOCK: Final = (0x5317, 1)


def upgrade(engine: sa.Engine) -> None:
    """Apply what is missing, all or nothing; raises StoreError for a database of a newer release.

    There is no `env.py`: alembic's command line is not offered, because opening a store is what upgrades it.
    """
    scripts = ScriptDirectory(str(_MIGRATIONS))
    # On SQLite this transaction is the lock itself: it begins as a writer.
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(*_LOCK)))
        context = _migration_context(connection, scripts)
        present = context.get_current_revision()
        if present == scripts.get_current_head():
            return
        if present not in {None, *(script.revision for script in scripts.walk_revisions())}:
            raise StoreError(
                f"the database {engine.url.render_as_string(hide_password=True)} is of a newer release of shiftwork"
                f" (schema {present})",
                hint="upgrade shiftwork on this machine",
            )
        with Operations.context(context):
            context.run_migrations()


def _migration_context(connection: sa.Connection, scripts: ScriptDirectory) -> MigrationContext:
    def missing(heads: Any, _context: MigrationContext) -> Iterable[MigrationStep]:
        newest_first = scripts.iterate_revisions("head", heads or "base")
        return [MigrationStep.upgrade_from_script(scripts.revision_map, script) for script in newest_first][::-1]

    return MigrationContext.configure(connection, opts={"fn": missing, "version_table": VERSION_TABLE})
