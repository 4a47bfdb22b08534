"""Which runs are archived: the name of the file that has their facts."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0021"
down_revision = "0020"


def upgrade(op: Operations) -> None:
    op.add_column("runs", sa.Column("archived", sa.Text, nullable=False, server_default=sa.text("''")))
