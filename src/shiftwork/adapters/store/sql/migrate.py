"""Upgrades an older schema with alembic; apart from `schema`, because hardly any start needs it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext, MigrationStep
from alembic.script import ScriptDirectory

_MIGRATIONS: Final = Path(__file__).parents[1] / "migrations"


def known() -> tuple[str, ...]:
    """All versions of the schema that can be upgraded, newest first."""
    return tuple(script.revision for script in _scripts().walk_revisions())


def migrate(connection: sa.Connection, version_table: str, upto: str = "head") -> None:
    """Applies the missing migrations, all of them or up to an earlier release.

    There is no `env.py` and no alembic command line, because opening a store upgrades it.
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
