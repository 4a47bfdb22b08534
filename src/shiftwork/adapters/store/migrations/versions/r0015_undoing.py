"""The stories of a run for which a revert was requested, one per line."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("runs", sa.Column("undoing", sa.Text, nullable=False, server_default=sa.text("''")))
