"""Brings an older schema up to this release, with alembic; apart from `schema`, because hardly any start needs it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext, MigrationStep
from alembic.script import ScriptDirectory

_MIGRATIONS: Final = Path(__file__).parents[1] / "migrations"


def known() -> tuple[str, ...]:
    """All versions of the schema that can be upgraded from, the present one first."""
    return tuple(script.revision for script in _scripts().walk_revisions())


def migrate(connection: sa.Connection, version_table: str, upto: str = "head") -> None:
    """Apply what is missing of all, or of what an earlier release had.

    There is no `env.py`: alembic's command line is not offered, because opening a store is what upgrades it.
    """
    scripts = _scripts()

    def missing(heads: Any, _context: MigrationContext) -> Iterable[MigrationStep]:
        newest_first = scripts.iterate_revisions(upto, heads or "base")
        return [MigrationStep.upgrade_from_script(scripts.revision_map, script) for script in newest_first][::-1]

    context = MigrationContext.configure(connection, opts={"fn": missing, "version_table": version_table})
    with Operations.context(context):
        context.run_migrations()


def _scripts() -> ScriptDirectory:
    return ScriptDirectory(str(_MIGRATIONS))
