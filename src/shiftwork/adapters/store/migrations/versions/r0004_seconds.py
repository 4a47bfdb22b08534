"""How long all attempts of a step took together; of steps before this nobody knows more than of the last one."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("steps", sa.Column("seconds", sa.Double))
