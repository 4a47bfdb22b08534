"""The current options of a run, as a JSON object."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0014"
down_revision = "0013"


def upgrade(op: Operations) -> None:
    op.add_column("runs", sa.Column("options", sa.Text, nullable=False, server_default=sa.text("'{}'")))
