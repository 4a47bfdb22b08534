"""Which gates the user has let a run continue without, one per line."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0011"
down_revision = "0010"


def upgrade(op: Operations) -> None:
    op.add_column("runs", sa.Column("without_gates", sa.Text, nullable=False, server_default=sa.text("''")))
