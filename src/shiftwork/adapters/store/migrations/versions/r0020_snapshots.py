"""States of streams beside their facts, so that a long stream is not folded from its first fact."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0020"
down_revision = "0019"


def upgrade(op: Operations) -> None:
    op.create_table(
        "snapshots",
        sa.Column("stream", sa.Text, primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("format", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
