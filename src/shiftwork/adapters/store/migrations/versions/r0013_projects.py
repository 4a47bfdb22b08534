"""Which project a run belongs to; unknown for older runs."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0013"
down_revision = "0012"


def upgrade(op: Operations) -> None:
    op.add_column("runs", sa.Column("project", sa.Text, nullable=False, server_default=sa.text("''")))
    op.create_index("runs_project_started_at", "runs", ["project", "started_at"])
