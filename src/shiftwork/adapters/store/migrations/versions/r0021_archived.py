"""Which runs are archived: the name of the file that has their facts."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.add_column("runs", sa.Column("archived", sa.Text, nullable=False, server_default=sa.text("''")))
