"""The dependencies of each story; for older runs they are empty until the run is written again."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0022"
down_revision = "0021"


def upgrade(op: Operations) -> None:
    op.add_column("stories", sa.Column("depends_on", sa.Text, nullable=False, server_default=sa.text("'[]'")))
