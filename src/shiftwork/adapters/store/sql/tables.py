"""The tables for SQLAlchemy. Migrations create them; a test checks that both agree."""

import types
import typing
from typing import Any, Final

import sqlalchemy as sa

from shiftwork.adapters.store.sql.view_columns import VIEWS
from shiftwork.ports.rows.row_parts import WaitCause
from shiftwork.ports.views import ProfileRow, Row, RunRow

metadata = sa.MetaData()

# SQLite only auto-increments a column of type INTEGER; its integers have 64 bits anyway.
_BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_REAL: Final[sa.Double[float]] = sa.Double()

# `position` is the order of insertion. It is unique over all streams, but on Postgres a transaction may become visible
# after another with a higher number: a reader across streams must not treat a gap as final.
facts = sa.Table(
    "facts",
    metadata,
    sa.Column("position", _BIG, sa.Identity(), primary_key=True),
    sa.Column("stream", sa.Text, nullable=False),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("ordinal", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("schema_version", sa.Integer, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("at", _REAL, nullable=False),
    sa.UniqueConstraint("stream", "version", name="facts_stream_version"),
    sa.UniqueConstraint("stream", "key", "ordinal", name="facts_stream_key_ordinal"),
    sqlite_autoincrement=True,
)

inbox = sa.Table(
    "inbox",
    metadata,
    sa.Column("position", _BIG, sa.Identity(), primary_key=True),
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.UniqueConstraint("target", "key", name="inbox_target_key"),
    sa.Index("inbox_target_position", "target", "position"),
    sqlite_autoincrement=True,
)

leases = sa.Table(
    "leases",
    metadata,
    sa.Column("resource", sa.Text, primary_key=True),
    sa.Column("executor", sa.Text, nullable=False),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("pid", sa.BigInteger, nullable=False),
    sa.Column("pid_started", _REAL, nullable=False),
    sa.Column("heartbeat_at", _REAL, nullable=False),
    sa.Column("epoch", sa.BigInteger, nullable=False, server_default=sa.text("0")),
)

_TYPES: Final[dict[Any, sa.types.TypeEngine[Any]]] = {
    str: sa.Text(),
    int: sa.BigInteger(),
    float: _REAL,
    bool: sa.Boolean(),
    WaitCause: sa.Text(),
    tuple[str, ...]: sa.Text(),
}


def _view_table(row: type[Row]) -> sa.Table:
    view = VIEWS[row]
    return sa.Table(
        view.table,
        metadata,
        *(_view_column(name, hint, view.identity) for name, hint in view.columns.items()),
    )


def _view_column(name: str, hint: Any, identity: tuple[str, ...]) -> sa.Column[Any]:
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    (plain,) = (part for part in parts if part is not types.NoneType)
    return sa.Column(name, _TYPES[plain], primary_key=name in identity, nullable=types.NoneType in parts)


view_tables: Final[dict[type[Row], sa.Table]] = {row: _view_table(row) for row in VIEWS}

_runs: Final = view_tables[RunRow].c
_profiles: Final = view_tables[ProfileRow].c
sa.Index("runs_newest", _runs.project, _runs.started_at.desc(), _runs.run.desc())
sa.Index("profiles_newest", _profiles.started_at.desc(), _profiles.run.desc(), _profiles.story.desc(), _profiles.role)
# Postgres sorts by the rules of a language; an index that finds prefixes must compare characters. SQLite does anyway.
# Not `postgresql_ops`, which loads the dialect of Postgres at every start.
sa.Index("runs_prefix", _runs.project, _runs.run).ddl_if(dialect="sqlite")


@sa.event.listens_for(view_tables[RunRow], "after_create")
def _index_prefixes(_: sa.Table, connection: sa.Connection, **__: Any) -> None:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("CREATE INDEX runs_prefix ON runs (project, run text_pattern_ops)")
