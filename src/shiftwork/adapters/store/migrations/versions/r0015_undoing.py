"""The stories of a run for which a revert was requested, one per line."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0015"
down_revision = "0014"


def upgrade(op: Operations) -> None:
    op.add_column("runs", sa.Column("undoing", sa.Text, nullable=False, server_default=sa.text("''")))
