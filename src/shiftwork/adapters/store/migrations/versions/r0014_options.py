"""The current options of a run, as a JSON object."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("runs", sa.Column("options", sa.Text, nullable=False, server_default=sa.text("'{}'")))
