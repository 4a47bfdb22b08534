"""The profile of each role in each story, and its verdict."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0002"
down_revision = "0001"


def upgrade(op: Operations) -> None:
    op.create_table(
        "played",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("story", sa.Text, primary_key=True),
        sa.Column("role", sa.Text, primary_key=True),
        sa.Column("profile", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("cost_usd", sa.Double),
        sa.Column("started_at", sa.Double),
    )
