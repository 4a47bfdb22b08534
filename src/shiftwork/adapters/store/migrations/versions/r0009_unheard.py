"""Which channels did not deliver the last notification about a run's end or about what a story waits for, and why."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0009"
down_revision = "0008"


def upgrade(op: Operations) -> None:
    for table in ("runs", "stories"):
        op.add_column(table, sa.Column("unheard", sa.Text, nullable=False, server_default=sa.text("''")))
