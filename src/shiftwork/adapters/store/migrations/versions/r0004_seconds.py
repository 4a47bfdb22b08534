"""The duration of all attempts of a step together; for older steps only the duration of the last attempt is known."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0004"
down_revision = "0003"


def upgrade(op: Operations) -> None:
    op.add_column("steps", sa.Column("seconds", sa.Double))
