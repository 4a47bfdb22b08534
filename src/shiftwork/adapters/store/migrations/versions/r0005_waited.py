"""When stories waited for a person, or for a limit to end."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0005"
down_revision = "0004"


def upgrade(op: Operations) -> None:
    op.create_table(
        "waited",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("story", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True),
        sa.Column("awaited", sa.Text, nullable=False),
        sa.Column("since", sa.Double, nullable=False),
        sa.Column("until", sa.Double),
    )
